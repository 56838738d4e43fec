/** The value of a typed template, or the reason why it has none. */
export interface ParsedTemplate {
  value?: unknown;
  problem?: string;
}

/** Returns the value of a typed body. Text that isn't JSON becomes a value that the service refuses. */
export function parsedTemplate(typed: string): ParsedTemplate {
  if (typed.trim() === '') return {};
  try {
    return { value: JSON.parse(typed) as unknown };
  } catch {
    return { value: '{{', problem: 'is not JSON' };
  }
}

/** Returns a body as JSON for an editor. */
export const jsonText = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));
