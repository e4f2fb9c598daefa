import { z } from 'zod';

export const WebSearchSettingsSchema = z.object({
  provider: z.string().optional(),
  tavily: z.object({ apiKey: z.string().optional() }).optional(),
  exa: z.object({ apiKey: z.string().optional() }).optional(),
});

export const SettingsSchema = z.object({
  webSearch: WebSearchSettingsSchema.optional(),
});

export interface SettingsData {
  webSearch: z.infer<typeof WebSearchSettingsSchema>;
}

/** Never written to a file; only the environment brings them. */
export function getSensitiveSettingKeys(): Set<string> {
  return new Set<string>([
    'app.shellPath',
    'agent.openrouter.baseUrl',
    'agent.openrouter.referrer',
    'agent.openrouter.title',
  ]);
}

export const SENSITIVE_SETTING_KEYS = getSensitiveSettingKeys();

export const SETTING_KEYS = {
  WEB_SEARCH_PROVIDER: 'webSearch.provider',
  WEB_SEARCH_TAVILY_API_KEY: 'webSearch.tavily.apiKey',
  WEB_SEARCH_EXA_API_KEY: 'webSearch.exa.apiKey',
} as const;

export type SettingKey = (typeof SETTING_KEYS)[keyof typeof SETTING_KEYS];
export type SettingValue<K extends SettingKey> = K extends string ? string | undefined : never;
