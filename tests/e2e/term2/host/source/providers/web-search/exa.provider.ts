import { registerWebSearchProvider } from './registry.js';

registerWebSearchProvider(
  {
    id: 'exa',
    label: 'Exa',
    search: async (query) => ({ query, results: [] }),
    isConfigured: (deps) => !!deps.settingsService.get('webSearch.exa.apiKey'),
    sensitiveSettingKeys: ['webSearch.exa.apiKey'],
  },
  { isDefault: false },
);
