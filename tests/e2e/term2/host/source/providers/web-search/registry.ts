import type { ISettingsService } from '../../services/service-interfaces.js';
import type { WebSearchProvider } from './types.js';

const known = new Map<string, WebSearchProvider>();
let chosen: string | undefined;

export function registerWebSearchProvider(provider: WebSearchProvider, options?: { isDefault?: boolean }): void {
  if (known.has(provider.id)) throw new Error(`Web search provider '${provider.id}' is already registered`);
  known.set(provider.id, provider);
  if (options?.isDefault || chosen === undefined) chosen = provider.id;
}

export function getWebSearchProvider(id: string): WebSearchProvider | undefined {
  return known.get(id);
}

export function getDefaultWebSearchProvider(): WebSearchProvider | undefined {
  return chosen === undefined ? undefined : known.get(chosen);
}

export function getAllWebSearchProviders(): WebSearchProvider[] {
  return [...known.values()];
}

export function getConfiguredWebSearchProvider(deps: {
  settingsService: ISettingsService;
}): WebSearchProvider | undefined {
  const named = deps.settingsService.get('webSearch.provider');
  return (named ? known.get(named) : undefined) ?? getDefaultWebSearchProvider();
}

export function clearWebSearchProviders(): void {
  known.clear();
  chosen = undefined;
}
