/** How a search or read ended; `ok` and `empty` are answers, everything else is told as an error. */
export type Outcome =
  | "ok" | "empty" | "suspicious_empty" | "blocked" | "rate_limited" | "quota_exhausted" | "auth_failed"
  | "not_configured" | "timeout" | "unreachable" | "bad_reply" | "not_found" | "needs_js" | "paywalled" | "too_large"
  | "unsupported_type" | "refused" | "overloaded" | "cancelled";

/** How to ask: who may give up, and after how many milliseconds we do. */
export interface How {
  signal?: AbortSignal;
  timeout?: number;
}

export interface SearchOptions extends How {
  provider?: string[];
  limit?: number;
  company?: string;
  searchType?: "general" | "news" | "recent";
  freshness?: "day" | "week" | "month" | "year";
  /** YYYY-MM-DD */
  dateFrom?: string;
  dateTo?: string;
  allowedDomains?: string[];
  blockedDomains?: string[];
  language?: string;
  country?: string;
  safeSearch?: "off" | "moderate" | "strict";
  page?: number;
  onlyMentions?: boolean;
  highlight?: boolean;
  /** Seconds an answer may be old. */
  maxAge?: number;
}

export interface OpenOptions extends How {
  query?: string;
  section?: string;
  offset?: number;
  maxLength?: number;
  links?: "inline" | "list" | "none";
  maxAge?: number;
  reader?: string[];
}

export interface GatherOptions extends How {
  phrasings?: string[];
  budget?: number;
  unit?: "characters" | "tokens";
  pages?: number;
  freshness?: SearchOptions["freshness"];
  allowedDomains?: string[];
  blockedDomains?: string[];
  language?: string;
  country?: string;
}

export interface Attempt {
  provider: string;
  outcome: Outcome;
  status: number | null;
  milliseconds: number;
  message: string;
}

export interface SearchResult {
  title: string;
  url: string;
  snippet: string;
  extra_snippets: string[];
  content: string;
  source: string;
  age: string | null;
  published_date: string | null;
  score: number | null;
  citation_id: number | null;
  providers: string[];
  flags: string[];
}

export interface SearchResponse {
  query: string;
  query_sent: string;
  results: SearchResult[];
  answer: string | null;
  outcome: "ok" | "empty";
  attempts: Attempt[];
  filters: Record<string, "native" | "emulated" | "post-filtered" | "not enforced">;
  notes: string[];
  cached: boolean;
  age_seconds: number | null;
  latency_ms: number;
  [more: string]: unknown;
}

export interface Page {
  url: string;
  final_url: string;
  title: string;
  content: string;
  content_length: number;
  original_length: number | null;
  offset: number;
  truncated: boolean;
  next_offset: number | null;
  tokens: number;
  success: boolean;
  error: string;
  outcome: Outcome;
  status: number | null;
  snapshot: string | null;
  sha256: string;
  fetched_at: string;
  reader: string;
  metadata: Record<string, string>;
  links: { text: string; url: string }[];
  notes: string[];
  cached: boolean;
  [more: string]: unknown;
}

export interface Gathered {
  question: string;
  outcome: "ok" | "empty";
  content: string;
  used: number;
  passages: Record<string, unknown>[];
  sources: Record<string, unknown>[];
  left_out: Record<string, unknown>[];
  notes: string[];
}

export interface Heading {
  level: number;
  title: string;
  offset: number;
  length: number;
  number: string;
  path: string[];
}

export interface Match {
  offset: number;
  end: number;
  before: string;
  match: string;
  after: string;
  heading: string;
}

export interface Passages {
  passages: { offset: number; end: number; text: string; heading: string; score: number }[];
  content: string;
  total: number;
  used: number;
}

export interface CheckedQuote {
  found: boolean;
  citation: Record<string, unknown> | null;
  differences: string[];
  nearest: Record<string, unknown> | null;
}

/** A page that was read, and the ways to look things up in it without another fetch. */
export interface Lookup {
  page(options?: How & { offset?: number; maxLength?: number }): Promise<Page>;
  outline(options?: How): Promise<Heading[]>;
  find(text: string, options?: How & { context?: number; limit?: number }): Promise<Match[]>;
  passages(query: string, options?: How & { budget?: number; unit?: "characters" | "tokens" }): Promise<Passages>;
  quote(text: string, options?: How): Promise<CheckedQuote>;
  window(options?: How & { offset?: number; maxLength?: number }): Promise<{
    content: string;
    offset: number;
    end: number;
    total: number;
    truncated: boolean;
    next_offset: number | null;
  }>;
  section(heading: string, options?: How): Promise<{ heading: string; content: string; content_length: number }>;
}

export class Seekread {
  constructor(options?: { url?: string; token?: string; timeout?: number; fetch?: typeof fetch });
  search(query: string, options?: SearchOptions): Promise<SearchResponse>;
  open(url: string, options?: OpenOptions): Promise<Page>;
  openPages(urls: string[], options?: OpenOptions): Promise<Page[]>;
  gather(question: string, options?: GatherOptions): Promise<Gathered>;
  trust(urls: string | string[], options?: How): Promise<number>;
  lookup(snapshot: string | null): Lookup;
  providers(options?: How): Promise<{ providers: Record<string, unknown>[]; chain: string[] }>;
  usage(options?: How): Promise<Record<string, unknown>[]>;
}

export class SeekreadError extends Error {
  readonly status?: number;
  readonly type?: string;
  readonly outcome?: Outcome;
  readonly attempts: Attempt[];
  readonly retryAfter?: number;
}
export class InvalidRequest extends SeekreadError {}
export class Unauthorized extends SeekreadError {}
export class Refused extends SeekreadError {}
export class NotFound extends SeekreadError {}
export class RateLimited extends SeekreadError {}
export class Failed extends SeekreadError {}
export class Unreachable extends SeekreadError {}
