import { registerWebSearchProvider } from './registry.js';

registerWebSearchProvider(
  {
    id: 'tavily',
    label: 'Tavily',
    search: async (query) => ({ query, results: [] }),
    isConfigured: (deps) => !!deps.settingsService.get('webSearch.tavily.apiKey'),
    sensitiveSettingKeys: ['webSearch.tavily.apiKey'],
  },
  { isDefault: true },
);
