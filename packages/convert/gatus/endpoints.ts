import { EVERY_BOUNDS, HEARTBEAT } from '../../../src/endpoint/heartbeat/heartbeat-schedule';
import { sizeProblems } from '../../../src/endpoint/settings/settings-size';
import { cut, oneLine } from '../../../src/platform/text/text-limits';
import { isTag, MAX_TAGS } from '../../../src/website/tags';
import type { DeclaredEndpoint, DeclaredWindow } from '../../../src/configuration/document/document';
import type { ReportEntry } from '../conversion';
import { NEW_ADDRESS } from '../heartbeat';
import { readAlerts } from './alerts';
import { assertionsOf } from './condition/assertions';
import type { Contacts } from './contacts';
import { Differences, Fields, isMapping, quoted } from './fields';
import { readMaintenance } from './maintenance';
import { readRequest } from './request';
import { readTarget, type Target } from './target';
import { asWritten, type Secrets } from './variables';

const MAX_NAME = 255;
const EVERY = { min: EVERY_BOUNDS.minimum, max: EVERY_BOUNDS.maximum };

/** A converted Gatus endpoint that hasn't been assigned to a website yet. */
export interface ReadEndpoint {
  at: string;
  group: string | null;
  /** Used to group endpoints that have no group in Gatus. */
  target: Pick<Target, 'origin' | 'host'>;
  endpoint: Omit<DeclaredEndpoint, 'key'>;
  windows: Omit<DeclaredWindow, 'key' | 'name' | 'scope'>[];
}

/** Converts endpoints and reports the outcome for each. */
export class Endpoints {
  constructor(
    private readonly contacts: Contacts,
    private readonly secrets: Secrets,
    private readonly report: (entry: ReportEntry) => void,
  ) {}

  /** Converts an endpoint. Returns `null` if it is skipped. */
  read(value: unknown, at: string): ReadEndpoint | null {
    return this.readBy((fields, label) => this.readFields(fields, label, at), value, at);
  }

  /** Converts an external endpoint to a heartbeat. Returns `null` if it is skipped. */
  readExternal(value: unknown, at: string): ReadEndpoint | null {
    return this.readBy((fields, label) => this.readHeartbeat(fields, label, at), value, at);
  }

  private readBy(
    readFields: (fields: Fields, label: string) => ReadEndpoint | { refused: string },
    value: unknown,
    at: string,
  ): ReadEndpoint | null {
    if (!isMapping(value)) {
      this.report({ at, name: quoted(value), result: 'skipped', why: 'it is not an endpoint' });
      return null;
    }
    const fields = new Fields(value, new Differences());
    const label = labelOf(fields);
    const read = readFields(fields, label);
    if ('refused' in read) {
      this.report({ at, name: label, result: 'skipped', why: read.refused });
      return null;
    }
    const why = fields.differences.words;
    this.report({ at, name: label, result: why === null ? 'mapped' : 'approximated', why });
    return read;
  }

  private readFields(fields: Fields, label: string, at: string): ReadEndpoint | { refused: string } {
    const found = readTarget(fields);
    if ('refused' in found) return found;
    const { target } = found;
    const group = (fields.plainText('group') ?? '').trim() || null;
    const asked = readRequest(fields, target, this.secrets);
    if ('refused' in asked) return asked;
    const judged = assertionsOf(conditionsOf(fields), target.type, target.recordType);
    if (judged.contrary !== null)
      return { refused: `${quoted(judged.contrary)} expects the target to fail, which checks do not support` };
    for (const difference of judged.differences) fields.differences.add(difference);
    const { assertions } = judged;
    const warns = assertions.some(({ severity }) => severity === 'warning');
    const enabled = fields.flag('enabled') ?? true;
    const endpoint: Omit<DeclaredEndpoint, 'key'> = {
      name: endpointName(fields, target),
      type: target.type,
      url: this.urlOf(target, label, fields),
      ...asked.request,
      ...(enabled ? {} : { enabled }),
      ...(assertions.length > 0 ? { assertions } : {}),
      ...tagsOf(fields),
      alerts: readAlerts(fields, { name: label, group, at, warns }, this.contacts),
    };
    const tooLarge = sizeProblemOf(endpoint);
    if (tooLarge !== null) return { refused: tooLarge };
    const windows = windowsOf(fields);
    noteOthers(fields);
    return { at, group, target, endpoint, windows };
  }

  private readHeartbeat(fields: Fields, label: string, at: string): ReadEndpoint | { refused: string } {
    fields.raw('token');
    const seconds = fields.inner('heartbeat')?.seconds('interval', EVERY) ?? null;
    if (seconds === null) return { refused: 'it has no heartbeat.interval, so a missing ping could not be detected' };
    fields.differences.add(NEW_ADDRESS);
    const group = (fields.plainText('group') ?? '').trim() || null;
    const target = { origin: null, host: 'heartbeats' };
    const enabled = fields.flag('enabled') ?? true;
    const endpoint: Omit<DeclaredEndpoint, 'key'> = {
      name: endpointName(fields, target),
      type: HEARTBEAT,
      heartbeat: { every: seconds },
      ...(enabled ? {} : { enabled }),
      ...tagsOf(fields),
      alerts: readAlerts(fields, { name: label, group, at, warns: false }, this.contacts),
    };
    const windows = windowsOf(fields);
    fields.noteRest();
    return { at, group, target, endpoint, windows };
  }

  private urlOf(target: Target, label: string, fields: Fields): DeclaredEndpoint['url'] {
    return this.secrets.refer(target.url, fields.differences.add, `${label.toUpperCase()}_URL`);
  }
}

/** Returns the display name, `group / name`. */
export function labelOf(fields: Fields): string {
  const name = quoted(fields.text('name') ?? fields.text('url') ?? '') || 'unnamed';
  const group = quoted(fields.text('group') ?? '');
  return group === '' ? name : `${group} / ${name}`;
}

function endpointName(fields: Fields, target: Pick<Target, 'host'>): string {
  const name = oneLine(fields.plainText('name') ?? '') || target.host;
  if (name.length > MAX_NAME) fields.note('name', `is longer than ${MAX_NAME} characters and is shortened`);
  return cut(name, MAX_NAME);
}

function conditionsOf(fields: Fields): string[] {
  return fields.list('conditions').flatMap((condition, i) => {
    if (typeof condition === 'string') return [condition];
    fields.note(`conditions[${i}]`, `is ${quoted(condition)}, which is not a condition`);
    return [];
  });
}

/** Returns the labels that Gatus adds to metrics, as tags. */
function tagsOf(fields: Fields): Pick<DeclaredEndpoint, 'tags'> {
  const tags = fields
    .texts('extra-labels')
    .map(([key, value]) => `${asWritten(key)}:${asWritten(value)}`.toLowerCase());
  const usable = [...new Set(tags)].filter(isTag).slice(0, MAX_TAGS);
  const lost = tags.filter((tag) => !usable.includes(tag));
  if (lost.length > 0) fields.note('extra-labels', `cannot be used as tags: ${quoted(lost.join(', '))}`);
  return usable.length > 0 ? { tags: usable } : {};
}

/** Secrets are only counted if their values are known. */
function sizeProblemOf({ headers, body }: Omit<DeclaredEndpoint, 'key'>): string | null {
  const known = (text: unknown): string => (typeof text === 'string' ? text : '');
  const sized = {
    headers: (headers ?? []).map(({ key, value }) => ({ key, value: known(value) })),
    body: known(body),
    assertions: [],
  };
  const problem = sizeProblems(sized, null)[0];
  return problem ? `it is too large: ${problem.message}` : null;
}

function windowsOf(fields: Fields): ReadEndpoint['windows'] {
  return fields.list('maintenance-windows').flatMap((value, i) => {
    const name = `maintenance-windows[${i}]`;
    if (!isMapping(value)) {
      fields.note(name, `is ${quoted(value)}, which is not a maintenance window`);
      return [];
    }
    const window = readMaintenance(new Fields(value, fields.differences, `${name}.`));
    if ('recurrence' in window) return [window.recurrence];
    fields.note(name, `is not converted: ${window.refused}`);
    return [];
  });
}

/** Reports UI settings that hide parts of Gatus's pages. Our pages never show these parts. */
function noteOthers(fields: Fields): void {
  const ui = fields.inner('ui');
  if (ui !== null) fields.note('ui', `(${ui.names().map(asWritten).join(', ')}) only affects Gatus’s pages`);
  noteSsh(fields);
  fields.noteRest();
}

function noteSsh(fields: Fields): void {
  const ssh = fields.inner('ssh');
  if (ssh !== null && ['username', 'password', 'private-key'].some((name) => (ssh.text(name) ?? '') !== ''))
    fields.note(
      'ssh',
      'is not used: the check only needs the identification of the server. It does not sign in or run a command',
    );
}
