/** What the settings menu offers. */
export const ENUM_VALUES: Record<string, Array<{ value: string; description: string }>> = {
  'webSearch.provider': [
    { value: 'tavily', description: 'Tavily Search API' },
    { value: 'exa', description: 'Exa Search API' },
  ],
};
