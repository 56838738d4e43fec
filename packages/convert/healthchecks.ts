import { isRecord } from '../../src/platform/text/json';
import type { Conversion, ReportEntry } from './conversion';
import { type ForeignItem, type Members, readForeignList, textIn } from './foreign-list';

const FORM = 'a list of checks as GET /api/v3/checks/ of healthchecks gives it: {"checks": […]}';

/**
 * Reads checks of healthchecks. They wait for signals, which nothing here does yet: each is skipped, with all that is
 * needed to make it by hand.
 */
export const convertHealthchecks = (text: string): Conversion => ({
  document: { version: 1 },
  report: readForeignList(text, 'checks', FORM).items.map(toEntry),
});

function toEntry({ value, at }: ForeignItem): ReportEntry {
  if (!isRecord(value)) return { at, name: '', result: 'skipped', why: 'this is no check' };
  const uuid = uuidOf(value);
  const name = textIn(value, 'name') || textIn(value, 'slug') || uuid || 'unnamed';
  return {
    at,
    name,
    result: 'skipped',
    why: `it waits for a signal, and heartbeats come later: ${whatItIs(value, uuid)}`,
  };
}

/** Keys that may only read do not see it. */
function uuidOf(check: Members): string {
  const own = textIn(check, 'uuid');
  const inUrl = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
  return own || (inUrl.exec(`${textIn(check, 'ping_url')} ${textIn(check, 'update_url')}`)?.[0] ?? '');
}

function whatItIs(check: Members, uuid: string): string {
  const words = (label: string, field: string): string[] => {
    const text = textIn(check, field);
    return text === '' ? [] : [`${label} ${text}`];
  };
  const seconds = (label: string, field: string): string[] => words(label, field).map((text) => `${text} s`);
  const isCron = textIn(check, 'schedule') !== '';
  return [
    ...(uuid === '' ? words('unique key', 'unique_key') : [`UUID ${uuid}`]),
    ...words('ping URL', 'ping_url'),
    ...(isCron ? [...words('schedule', 'schedule'), ...words('in', 'tz')] : seconds('every', 'timeout')),
    ...seconds('grace', 'grace'),
    ...words('tags', 'tags'),
    ...(textIn(check, 'status') === 'paused' ? ['paused'] : []),
    ...(uuid === '' && textIn(check, 'ping_url') === '' ? ['read it with a key that may write to see its UUID'] : []),
  ].join(', ');
}
