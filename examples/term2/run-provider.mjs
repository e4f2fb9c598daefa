// Call the provider as term2 does: node run-provider.mjs QUERY. Node 22.18 and later read TypeScript as it is.
import { seekread } from './seekread.provider.ts';

try {
  const services = { settingsService: { get: () => undefined }, loggingService: console };
  const found = await seekread.search(process.argv[2], services);
  console.log(JSON.stringify({ configured: seekread.isConfigured(services), ...found }));
} catch (error) {
  console.log(JSON.stringify({ error: error.message }));
}
