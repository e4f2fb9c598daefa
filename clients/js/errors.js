/**
 * What can go wrong, each with what to do about it.
 *
 *     SeekreadError          everything below
 *     ├── InvalidRequest     send something else: the message says what
 *     ├── Unauthorized       send a token, or another one
 *     ├── Refused            do not try again: policy, guard or a login is in the way
 *     ├── NotFound           there is no such page, snapshot or section (any more)
 *     ├── RateLimited        try again after `retryAfter` seconds
 *     ├── Failed             the service was asked and could not answer: `outcome` and `attempts` say why
 *     └── Unreachable        the service did not answer at all, or not in time
 *
 * Nothing found is none of these: it is an answer with outcome `empty`.
 */

export class SeekreadError extends Error {
  /**
   * @param {string} message
   * @param {{status?: number, type?: string, outcome?: string, attempts?: object[], retryAfter?: number, cause?: unknown}} [facts]
   */
  constructor(message, { status, type, outcome, attempts = [], retryAfter, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    /** The HTTP status, if there was an answer. */
    this.status = status;
    /** A stable name of the kind of problem, such as `urn:problem-type:seekread:invalid_request`. */
    this.type = type;
    /** How the search or read ended, such as `timeout`. */
    this.outcome = outcome;
    /** Everybody who was asked, and how that went. */
    this.attempts = attempts;
    /** Seconds to wait before another try, where somebody said so. */
    this.retryAfter = retryAfter;
  }
}

export class InvalidRequest extends SeekreadError {}
export class Unauthorized extends SeekreadError {}
export class Refused extends SeekreadError {}
export class NotFound extends SeekreadError {}
export class RateLimited extends SeekreadError {}
export class Failed extends SeekreadError {}
export class Unreachable extends SeekreadError {}

const BY_STATUS = new Map([
  [400, InvalidRequest],
  [401, Unauthorized],
  [403, Refused],
  [404, NotFound],
  [405, InvalidRequest],
  [413, InvalidRequest],
  [429, RateLimited],
]);

/**
 * The error that an answer stands for.
 *
 * @param {Response} response
 * @param {any} problem what its body says, if that is a problem
 */
export function errorOf(response, problem) {
  const Kind = BY_STATUS.get(response.status) ?? Failed;
  const wait = Number(response.headers.get("retry-after"));
  return new Kind(problem?.detail || problem?.title || `the service answered ${response.status}`, {
    status: response.status,
    type: problem?.type,
    outcome: problem?.outcome,
    attempts: problem?.attempts,
    retryAfter: wait > 0 ? wait : undefined,
  });
}
