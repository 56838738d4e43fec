import { isRecord } from '../../src/platform/text/json';
import { oneLine } from '../../src/platform/text/text-limits';
import { HEARTBEAT } from '../../src/endpoint/heartbeat/heartbeat-schedule';
import type { HeartbeatDto } from '../../src/endpoint/heartbeat/heartbeat.dto';
import { readCron } from '../../src/platform/time/cron-calendar';
import type { Conversion, ReportEntry } from './conversion';
import { DocumentBuilder, nameFrom, tagsFrom } from './document-builder';
import { type ForeignItem, type Members, numberIn, readForeignList, textIn } from './foreign-list';
import { everyFrom, graceFrom, heartbeatRefusal } from './heartbeat';

const FORM = 'the list of checks from the healthchecks API (GET /api/v3/checks/): {"checks": […]}';
const GROUP = 'healthchecks';
/** Healthchecks defaults, in seconds. */
const USUAL = { timeout: 86_400, grace: 3600 };

/** Fields that filter pings by their content. */
const FILTERS: readonly string[] = [
  'subject',
  'subject_fail',
  'start_kw',
  'success_kw',
  'failure_kw',
  'filter_subject',
  'filter_body',
  'filter_http_body',
  'filter_default_fail',
];

/**
 * Converts healthchecks checks to heartbeats on one website. Each keeps its UUID, so a job only needs to change the
 * host in its ping URL.
 */
export const convertHealthchecks = (text: string): Conversion => {
  const builder = new DocumentBuilder();
  const { items } = readForeignList(text, 'checks', FORM);
  return builder.finish([...items.map((item) => convertCheck(item, builder)), ...integrationsIn(items)]);
};

function convertCheck({ value, at }: ForeignItem, builder: DocumentBuilder): ReportEntry {
  if (!isRecord(value)) return { at, name: '', result: 'skipped', why: 'this is not a check' };
  const uuid = uuidOf(value);
  const name = nameFrom(textIn(value, 'name') || textIn(value, 'slug') || uuid);
  const read = uuid === '' ? { refused: NO_UUID } : timingOf(value);
  if ('refused' in read) return { at, name, result: 'skipped', why: read.refused };
  const schedule = { ...read.timing, grace: graceFrom(numberIn(value, 'grace') ?? USUAL.grace) };
  const refused = heartbeatRefusal({ ...schedule, ping_id: uuid });
  if (refused !== null) return { at, name, result: 'skipped', why: refused };
  const { tags, lost } = tagsFrom(textIn(value, 'tags').split(/\s+/).filter(Boolean));
  builder.add(
    { name: GROUP, at },
    {
      name,
      type: HEARTBEAT,
      heartbeat: { ...schedule, ping_id: builder.secret(`${name} ping id`, uuid) },
      ...(tags.length > 0 && { tags }),
      ...(textIn(value, 'status') === 'paused' && { enabled: false }),
    },
    textIn(value, 'slug'),
  );
  const differences = [
    read.difference,
    ...(lost.length > 0 ? [`cannot be used as tags: ${lost.join(', ')}`] : []),
    ...unsaid(value),
  ].filter((difference) => difference !== null);
  const why = differences.length === 0 ? null : differences.join('; ');
  return { at, name, result: why === null ? 'mapped' : 'approximated', why };
}

const NO_UUID = 'it was exported with a read-only key, so its UUID is not in the file. Export it with a read-write key';

/** Read-only keys can't see the UUID. */
function uuidOf(check: Members): string {
  const own = textIn(check, 'uuid');
  const inUrl = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
  return own || (inUrl.exec(`${textIn(check, 'ping_url')} ${textIn(check, 'update_url')}`)?.[0] ?? '');
}

type Timing = { timing: Pick<HeartbeatDto, 'every' | 'cron' | 'timezone'>; difference: string | null };

function timingOf(check: Members): Timing | { refused: string } {
  const schedule = textIn(check, 'schedule');
  if (schedule === '') {
    const { every, difference } = everyFrom(numberIn(check, 'timeout') ?? USUAL.timeout);
    return { timing: { every }, difference };
  }
  if (readCron(schedule) === null)
    return { refused: `its schedule is not a cron expression with five fields: ${oneLine(schedule)}` };
  return { timing: { cron: schedule, timezone: textIn(check, 'tz') || 'UTC' }, difference: null };
}

/** Lists settings that heartbeats don't support. */
function unsaid(check: Members): string[] {
  const description = oneLine(textIn(check, 'desc'));
  const isFiltered = FILTERS.some((name) => check[name] === true || textIn(check, name) !== '');
  return [
    ...(textIn(check, 'methods') === 'POST' ? ['a GET request is also a ping, not only a POST request'] : []),
    ...(isFiltered ? ['keywords in the content of a ping are ignored: its URL determines success or failure'] : []),
    ...(check['manual_resume'] === true
      ? ['while it is paused, its pings are listed, and someone must enable it again']
      : []),
    ...(description === '' ? [] : [`endpoints have no description; it was "${description}"`]),
  ];
}

/** The file contains only the IDs of integrations. */
function integrationsIn(items: readonly ForeignItem[]): ReportEntry[] {
  const first = items.find(({ value }) => isRecord(value) && textIn(value, 'channels') !== '');
  if (!first) return [];
  const why = 'the file contains only the IDs of integrations: declare contacts, and alerts that use them';
  return [{ at: first.at, name: 'integrations', result: 'skipped', why }];
}
