interface Shown {
  title: string;
  url: string;
  published?: string;
  content: string;
}

const URL_FIELD = '**URL:**';
const DATE_FIELD = '**Published:**';

/** Reads the Markdown of a search back, for the terminal; null for what does not look like one. */
export function parseWebSearchOutput(output: string | undefined): { answer: string | null; results: Shown[] } | null {
  const text = (output ?? '').replace(/^##\s+/gm, '## ').trim();
  if (!/## (?:Answer|Search Results)/.test(text)) return null;
  const sections = text.split(/(?:^|\n)##\s+/).map((section) => section.trim());
  const answers = sections.filter((section) => section.startsWith('Answer'));
  const found = sections.filter((section) => section.startsWith('Search Results'));
  return {
    answer:
      answers
        .at(-1)
        ?.replace(/^Answer\r?\n/, '')
        .trim() ?? null,
    results: found.flatMap((section) => section.split(/(?:^|\n)###\s+/).flatMap(resultOf)),
  };
}

function resultOf(block: string): Shown[] {
  const text = block.trim();
  if (!text || text.startsWith('Search Results')) return [];
  const [head = '', ...lines] = text.split('\n');
  const title = head.replace(/^\d+\.\s*/, '').trim();
  const field = (name: string) =>
    lines
      .filter((line) => line.trim().startsWith(name))
      .at(-1)
      ?.trim();
  const url = field(URL_FIELD)?.replace(URL_FIELD, '').trim() ?? '';
  const published = field(DATE_FIELD)?.replace(DATE_FIELD, '').trim() || undefined;
  const words = lines.filter((line) => {
    const bare = line.trim();
    return bare && bare !== '---' && !bare.startsWith(URL_FIELD) && !bare.startsWith(DATE_FIELD);
  });
  return title && url ? [{ title, url, published, content: words.join('\n').trim() }] : [];
}
