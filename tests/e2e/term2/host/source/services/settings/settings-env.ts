import type { SettingsData } from './settings-schema.js';

export type DeepPartial<T> = T extends object ? { [P in keyof T]?: DeepPartial<T[P]> } : T;

/** What the environment says instead of the settings file. */
export function buildEnvOverrides(): Partial<SettingsData> {
  const env = process.env;
  const webSearch: DeepPartial<SettingsData['webSearch']> = {};
  if (env.TAVILY_API_KEY) webSearch.tavily = { apiKey: env.TAVILY_API_KEY };
  if (env.EXA_API_KEY) webSearch.exa = { apiKey: env.EXA_API_KEY };
  if (env.WEB_SEARCH_PROVIDER) webSearch.provider = env.WEB_SEARCH_PROVIDER;
  return { webSearch } as Partial<SettingsData>;
}
