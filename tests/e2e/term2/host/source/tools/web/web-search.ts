import { getConfiguredWebSearchProvider, type WebSearchResponse } from '../../providers/web-search/index.js';
import type { ILoggingService, ISettingsService } from '../../services/service-interfaces.js';

export function formatResultsAsMarkdown(response: WebSearchResponse): string {
  const answer = response.answerBox ? ['## Answer\n', response.answerBox, '\n'] : [];
  if (response.results.length === 0) return [...answer, 'No results found for this query.\n'].join('\n');
  const rows = response.results.flatMap((result, index) => [
    `### ${index + 1}. ${result.title}\n`,
    `**URL:** ${result.url}\n`,
    ...(result.publishedDate ? [`**Published:** ${result.publishedDate}\n`] : []),
    `\n${result.content}\n`,
    '\n---\n',
  ]);
  return [...answer, '## Search Results\n', ...rows].join('\n');
}

export const createWebSearchToolDefinition = (deps: {
  settingsService: ISettingsService;
  loggingService: ILoggingService;
}) => ({
  name: 'web_search',
  async execute({ query }: { query: string }, _context?: unknown): Promise<string> {
    try {
      const provider = getConfiguredWebSearchProvider(deps);
      if (!provider) return 'Error: No web search provider is configured.';
      if (!provider.isConfigured(deps)) {
        return `Error: Web search provider '${provider.id}' is not properly configured. Please set the required API key.`;
      }
      return formatResultsAsMarkdown(await provider.search(query, deps));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      deps.loggingService.error('Web search failed', { query, error: message });
      return `Error: ${message}`;
    }
  },
});
