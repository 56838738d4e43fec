import { count } from './format';

const DAY_MS = 86_400_000;

/**
 * Names what is lost when endpoints are deleted: `Its history of 91 days and its alert rules are deleted as well.` The
 * creation time is only known for endpoints that were loaded individually.
 */
export function lostText(endpoints: readonly { created_at?: string }[], nowMs: number): string {
  const [first] = endpoints;
  const days = Math.floor((nowMs - Date.parse(first?.created_at ?? '')) / DAY_MS);
  if (endpoints.length > 1) return 'Their history and alert rules are deleted as well.';
  return `Its history${days > 0 ? ` of ${count(days, 'day')}` : ''} and its alert rules are deleted as well.`;
}
