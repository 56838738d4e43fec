import { oneLine } from '../../../src/platform/text/text-limits';
import { CommandError } from './io';

/** One wrong field, as the API lists it. */
export interface WrongField {
  pointer?: string;
  /** Of the text that was sent, from 1. */
  line?: number | null;
  code?: string;
  message?: string;
}

/** What the API says of a request that it refuses. Read from outside: everything may be missing. */
export interface ProblemBody {
  title?: string;
  detail?: string;
  code?: string;
  request_id?: string;
  errors?: WrongField[];
}

/** The API refused a request. */
export class ApiProblem extends CommandError {
  constructor(
    readonly status: number,
    readonly body: ProblemBody,
    /** Seconds. */
    readonly retryAfter: number | null,
  ) {
    super('');
    this.explain(fieldLines(body, null, () => null));
  }

  /** Says which fields are wrong, a line for each, before what happened. */
  explain(fields: readonly string[]): void {
    this.message = [...fields, problemText(this.status, this.body, this.retryAfter)].join('\n');
  }
}

/** A refusal in words, without its fields. */
export function problemText(
  status: number,
  { title, detail, code, request_id, errors }: ProblemBody,
  retryAfter: number | null,
): string {
  const again = retryAfter === null ? '' : ` Try again in ${retryAfter} s.`;
  // With 400 the detail only points to the fields, which are listed.
  const says = status === 400 && errors && errors.length > 0 ? undefined : detail;
  const reason = oneLine([title && `${title}.`, says].filter(Boolean).join(' '));
  if (status === 401) return 'The API key is not accepted (401). UPTIME_KEY must be a valid key of this service.';
  if (status === 403) return `The API key may not do this (403). ${reason}`;
  if (status === 429) return `Too many requests (429).${again}`;
  const mark = code === undefined ? `${status}` : `${status} ${code}`;
  const trace = status >= 500 && request_id !== undefined ? ` Request ${request_id}.` : '';
  return oneLine(`${reason === '' ? 'The request was refused.' : reason} (${mark})${again}${trace}`);
}

/** Where a line of the text that was sent stands: a file, and a line of it. Null when that cannot be said. */
export type Locate = (line: number) => { file: string; line: number } | null;

/** The wrong fields of a refusal, a line for each: where, which field, what is wrong, what to do. */
export function fieldLines({ errors }: ProblemBody, file: string | null, locate: Locate): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.map(({ pointer, line, code, message }) => {
    const at = typeof line === 'number' ? locate(line) : null;
    const place = at ? `${at.file}:${at.line}` : file;
    const field = pointer === undefined || pointer === '' ? null : pointer;
    const hint = code === 'missing_secret' ? secretHint(message) : '';
    const where = [place, field].filter((part) => part !== null).map((part) => `${part}: `);
    return oneLine(`${where.join('')}${message ?? code ?? 'is not valid'}${hint}`);
  });
}

/** The variable that would give the secret a value, when the message names the secret. */
function secretHint(message: string | undefined): string {
  const [, name] = /secrets: \{([A-Za-z_]\w*):/.exec(message ?? '') ?? [];
  return ` (or set UPTIME_SECRET_${name ?? '…'})`;
}
