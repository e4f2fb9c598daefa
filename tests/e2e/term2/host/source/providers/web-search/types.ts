import type { ILoggingService, ISettingsService } from '../../services/service-interfaces.js';

export interface WebSearchResult {
  title: string;
  url: string;
  content: string;
  score?: number;
  publishedDate?: string;
}

export interface WebSearchResponse {
  query: string;
  results: WebSearchResult[];
  answerBox?: string;
}

export interface WebSearchDeps {
  settingsService: ISettingsService;
  loggingService: ILoggingService;
}

export interface WebSearchProvider {
  id: string;
  label: string;
  search: (query: string, deps: WebSearchDeps) => Promise<WebSearchResponse>;
  isConfigured: (deps: { settingsService: ISettingsService }) => boolean;
  sensitiveSettingKeys?: string[];
}
