import { CreateAlertDto } from '../../alert/alert.dto';
import { CreateContactDto } from '../../contact/contact.dto';
import { CreateEndpointDto } from '../../endpoint/endpoint.dto';
import { HEARTBEAT } from '../../endpoint/heartbeat/heartbeat-schedule';
import { MAX_PARENTS } from '../../endpoint/suppression/dependencies';
import { CreateMaintenanceWindowDto } from '../../maintenance/maintenance-window.dto';
import { KEY } from '../../platform/http/body/resource-key';
import { type BodyClass, settableFields } from '../../platform/http/body/body-parts';
import { shapeProblems } from '../../platform/http/body/validation.pipe';
import { formatId, NIL_UUID } from '../../platform/ids/id';
import { isRecord } from '../../platform/text/json';
import { CreateProbeDto } from '../../probe/probe.dto';
import { CreatePublicPageDto } from '../../status-page/settings/public-page.dto';
import { UpdateStatusPageDto } from '../../status-page/settings/website-page.dto';
import { NewWebsiteDto } from '../../website/website.dto';
import type { Members, ShapeProblems } from './shape-rules';

/*
 * Validates each resource with the DTO that creates it through the API, so that the same ranges and formats apply.
 * References are IDs in the API and keys in a document. They and values that may be a `{$secret}` are validated first
 * and replaced with placeholders.
 */

const MAX_SCOPE_ITEMS = 1000;
const MAX_GROUP_ENDPOINTS = 200;
const MAX_GROUP_WEBSITES = 100;

/** Returns a document's field names: the API fields, and additional ones. */
const fieldsOf = (body: BodyClass, own: readonly string[] = [], not: readonly string[] = []): readonly string[] => [
  ...settableFields(body).filter((name) => !not.includes(name)),
  ...own,
];
const CONTACT = fieldsOf(CreateContactDto);
const PROBE = fieldsOf(CreateProbeDto);
const WEBSITE = fieldsOf(NewWebsiteDto, ['status_page', 'endpoints']);
const ENDPOINT = fieldsOf(CreateEndpointDto, ['alerts'], ['website_id']);
/** Required API fields that don't exist in a document. */
const STAND_INS = ['endpoint_id', 'contact_id'];
const ALERT = fieldsOf(CreateAlertDto, ['contact'], STAND_INS);
const WINDOW = fieldsOf(CreateMaintenanceWindowDto);
const PAGE = fieldsOf(CreatePublicPageDto);

/** Required members, for which `null` has no meaning. */
const NEVER_NULL = new Set(['key', 'name', 'title', 'url', 'type', 'config', 'scope', 'groups', 'contact']);

/** Returns the members, except for those already validated and those that are `null`, which means the default. */
function rest(value: Members, judged: readonly string[]): Record<string, unknown> {
  const kept = Object.entries(value).filter(
    ([name, item]) => !judged.includes(name) && (item !== null || NEVER_NULL.has(name)),
  );
  return Object.fromEntries(kept);
}

/**
 * The maximum number of values in a resource that is validated with a DTO, which is three times as many as in the
 * largest valid resource.
 */
const MAX_VALUES = 2000;

/** Counts values, and stops soon after `most`. */
function valuesIn(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const item of Object.values(value)) {
    if (count > most) return count;
    count += valuesIn(item, most - count);
  }
  return count;
}

function judge(problems: ShapeProblems, type: new () => object, sent: Members, known: readonly string[], at: string) {
  if (problems.isFull) return;
  const fields = [...known, ...STAND_INS].filter((name) => Object.hasOwn(sent, name));
  const value = Object.fromEntries(fields.map((name) => [name, sent[name]]));
  if (valuesIn(value, MAX_VALUES) > MAX_VALUES)
    return problems.add(at, 'too_large', `this has more than ${MAX_VALUES} values, which no resource may have`);
  for (const { pointer, code, message } of shapeProblems(type, value)) {
    // Unknown fields have already been reported.
    const [, name = ''] = pointer.split('/');
    if (known.includes(name)) problems.add(`${at}${pointer}`, code, message);
  }
  return undefined;
}

const configFor = (value: unknown): unknown => (isRecord(value) ? {} : value);

export function judgeContact(problems: ShapeProblems, value: unknown, taken: Set<string>, at: string): void {
  if (!problems.isObject(value, at)) return;
  problems.onlyFields(value, CONTACT, at);
  problems.key(value, taken, at);
  problems.references(value['config'], `${at}/config`);
  const body = { ...rest(value, ['key', 'config']), config: configFor(value['config']) };
  judge(problems, CreateContactDto, body, CONTACT, at);
}

export function judgeProbe(problems: ShapeProblems, value: unknown, taken: Set<string>, at: string): void {
  if (!problems.isObject(value, at)) return;
  problems.onlyFields(value, PROBE, at);
  problems.key(value, taken, at);
  const { key } = value;
  // Errors in the form of the key have already been reported.
  const known = typeof key === 'string' && KEY.test(key) ? key : 'key';
  judge(problems, CreateProbeDto, { ...rest(value, ['key']), key: known }, PROBE, at);
}

/** Validates a website without its endpoints. */
export function judgeWebsite(problems: ShapeProblems, value: Members, taken: Set<string>, at: string): void {
  problems.onlyFields(value, WEBSITE, at);
  problems.key(value, taken, at);
  judge(problems, NewWebsiteDto, rest(value, ['key', 'status_page', 'endpoints']), WEBSITE, at);
  const page = value['status_page'] ?? {};
  if (!problems.isObject(page, `${at}/status_page`)) return;
  problems.onlyFields(page, ['enabled', 'slug'], `${at}/status_page`);
  judge(problems, UpdateStatusPageDto, page, ['enabled', 'slug'], `${at}/status_page`);
}

/** Validates an endpoint without its alerts. */
export function judgeEndpoint(problems: ShapeProblems, value: Members, taken: Set<string>, at: string): void {
  problems.onlyFields(value, ENDPOINT, at);
  problems.key(value, taken, at);
  if ((value['depends_on'] ?? null) !== null) problems.paths(value['depends_on'], 2, MAX_PARENTS, `${at}/depends_on`);
  const body = rest(value, ['key', 'depends_on', 'alerts']);
  problems.references(body['settings'], `${at}/settings`);
  const texts = (field: string, member: string): unknown => {
    const items = body[field];
    if (!Array.isArray(items)) return items;
    return items.map((item: unknown, i) =>
      isRecord(item) ? { ...item, [member]: problems.text(item[member], `${at}/${field}/${i}/${member}`) } : item,
    );
  };
  const judged = {
    ...body,
    ...(body['url'] === undefined && body['type'] === HEARTBEAT
      ? {}
      : { url: problems.text(body['url'], `${at}/url`) }),
    ...(isRecord(body['heartbeat']) && { heartbeat: judgedHeartbeat(problems, body['heartbeat'], `${at}/heartbeat`) }),
    body: problems.text(body['body'], `${at}/body`),
    headers: texts('headers', 'value'),
    assertions: texts('assertions', 'target'),
    settings: configFor(body['settings']),
  };
  judge(problems, CreateEndpointDto, judged, ENDPOINT, at);
}

/** The parts of a ping URL may be secrets. */
const judgedHeartbeat = (problems: ShapeProblems, sent: Members, at: string): Members => ({
  ...sent,
  ...Object.fromEntries(
    ['ping_id', 'push_token']
      .filter((name) => Object.hasOwn(sent, name))
      .map((name) => [name, problems.text(sent[name], `${at}/${name}`)]),
  ),
});

export function judgeAlert(problems: ShapeProblems, value: unknown, taken: Set<string>, at: string): void {
  if (!problems.isObject(value, at)) return;
  problems.onlyFields(value, ALERT, at);
  problems.key(value, taken, at);
  const { contact } = value;
  if (contact !== undefined) problems.path(contact, 1, `${at}/contact`);
  for (const field of ['type', 'config'])
    if (contact !== undefined && value[field] !== undefined)
      problems.add(
        `${at}/${field}`,
        'invalid_config',
        `${field} cannot be combined with contact, which provides it: send one or the other`,
      );
  problems.references(value['config'], `${at}/config`);
  const body = {
    ...rest(value, ['key', 'contact', 'config']),
    endpoint_id: formatId('endpoint', NIL_UUID),
    ...(contact !== undefined && { contact_id: formatId('contact', NIL_UUID) }),
    ...(value['config'] !== undefined && { config: configFor(value['config']) }),
  };
  judge(problems, CreateAlertDto, body, ALERT, at);
}

export function judgeWindow(problems: ShapeProblems, value: unknown, taken: Set<string>, at: string): void {
  if (!problems.isObject(value, at)) return;
  problems.onlyFields(value, WINDOW, at);
  problems.key(value, taken, at);
  const { scope } = value;
  if (isRecord(scope)) {
    problems.onlyFields(scope, ['all', 'websites', 'endpoints', 'tags'], `${at}/scope`);
    if (scope['websites'] !== undefined) problems.paths(scope['websites'], 1, MAX_SCOPE_ITEMS, `${at}/scope/websites`);
    if (scope['endpoints'] !== undefined)
      problems.paths(scope['endpoints'], 2, MAX_SCOPE_ITEMS, `${at}/scope/endpoints`);
  }
  const judged = isRecord(scope) ? { all: scope['all'], tags: scope['tags'] } : scope;
  judge(problems, CreateMaintenanceWindowDto, { ...rest(value, ['key']), scope: judged }, WINDOW, at);
}

export function judgePage(problems: ShapeProblems, value: unknown, taken: Set<string>, at: string): void {
  if (!problems.isObject(value, at)) return;
  problems.onlyFields(value, PAGE, at);
  problems.key(value, taken, at);
  const groups = value['groups'];
  const judged = Array.isArray(groups)
    ? groups.map((group, i) => judgedGroup(problems, group, `${at}/groups/${i}`))
    : groups;
  judge(problems, CreatePublicPageDto, { ...rest(value, ['key']), groups: judged }, PAGE, at);
}

function judgedGroup(problems: ShapeProblems, group: unknown, at: string): unknown {
  if (!isRecord(group)) return group;
  problems.onlyFields(group, ['name', 'endpoints', 'websites'], at);
  if (group['endpoints'] !== undefined) problems.paths(group['endpoints'], 2, MAX_GROUP_ENDPOINTS, `${at}/endpoints`);
  if (group['websites'] !== undefined) problems.paths(group['websites'], 1, MAX_GROUP_WEBSITES, `${at}/websites`);
  return { name: group['name'] };
}
