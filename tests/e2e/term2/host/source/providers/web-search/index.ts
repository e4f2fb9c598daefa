// Importing a provider registers it.
import './tavily.provider.js';
import './exa.provider.js';

export {
  registerWebSearchProvider,
  getWebSearchProvider,
  getDefaultWebSearchProvider,
  getAllWebSearchProviders,
  getConfiguredWebSearchProvider,
  clearWebSearchProviders,
} from './registry.js';

export type { WebSearchProvider, WebSearchResponse, WebSearchResult, WebSearchDeps } from './types.js';
