import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { connectionDefaults } from '../../channel/config/config-metadata';
import {
  dialedValues,
  isMarkedAt,
  isMasked,
  mapMarked,
  markedValues,
  namedSecrets,
  type RefusedMask,
  unmask,
} from '../../channel/config/config-masking';
import type { Checker } from '../../checker/checker';
import { CheckerRegistry } from '../../checker/checker.registry';
import { NO_SETTINGS, settingsProblems } from '../../checker/settings-problems';
import type { FieldProblem } from '../../platform/problem/problem';
import { MASK } from '../../platform/secrets/mask';
import { SecretBox, SecretUnreadable } from '../../platform/secrets/secret-box';
import { isRecord } from '../../platform/text/json';
import { readUrl } from '../../platform/text/read-url';
import type { StoredSettings } from './stored-settings';

/** An endpoint's type, target, and settings, as sent or as stored. */
export interface Typed<Settings> {
  type: string;
  url: string;
  settings: Settings;
}

export interface ResolvedSettings {
  settings: StoredSettings | null;
  /** Pointers start with `/settings`. */
  problems: FieldProblem[];
  /** The hosts and URLs in the settings that a check connects to. */
  dialed: { pointer: string; value: string }[];
}

type Path = readonly (string | number)[];

/** Converts the settings of types between the API and the rows. Validates, encrypts, decrypts, and masks them. */
@Injectable()
export class TypeSettings {
  constructor(
    private readonly checkers: CheckerRegistry,
    private readonly secrets: SecretBox,
  ) {}

  /** Returns the settings to pass to the checker. Throws: `SecretUnreadable`. */
  open(id: string, type: string, stored: StoredSettings | null): object {
    if (stored === null) return NO_SETTINGS;
    const { settingsClass } = this.checkers.get(type);
    if (!settingsClass || stored.sealed === undefined) return stored.values;
    const secrets = JSON.parse(this.secrets.open(stored.sealed, contextOf(id))) as Readonly<Record<string, unknown>>;
    return mapMarked(settingsClass, stored.values, ({ path, value }) => secrets[pointerOf(path)] ?? value);
  }

  /**
   * Merges the settings that a client sent into the stored ones, and validates the result. The type must have a
   * checker. A change of the type replaces the settings unless both types have the same class of settings.
   */
  resolve(
    id: string,
    { type, url, settings: sent }: Typed<object | null | undefined>,
    stored: Typed<StoredSettings | null> | null,
  ): ResolvedSettings {
    const checker = this.checkers.get(type);
    const before = stored && this.hasSameSettings(stored.type, checker) ? stored : null;
    if (sent === undefined && before !== null && before.type === type && before.url === url)
      return { settings: before.settings, problems: [], dialed: [] };
    const opened = before ? this.openOrForget(id, before) : NO_SETTINGS;
    const { config, refused } = merged(checker, sent, opened);
    const isElsewhere =
      before !== null && connectionOf(checker, url, config) !== connectionOf(checker, before.url, opened);
    const problems = [
      ...refused.map(refusedMask),
      ...(isElsewhere ? keptSecrets(checker, config, sent).map(resend) : []),
    ];
    const all = problems.length > 0 ? problems : settingsProblems(checker, config, url);
    return {
      settings: this.stored(id, checker, config, before && { settings: before.settings, opened }),
      problems: all.map((problem) => ({ ...problem, pointer: `/settings${problem.pointer}` })),
      dialed: checker.settingsClass
        ? dialedValues(checker.settingsClass, config).map((one) => ({ ...one, pointer: `/settings${one.pointer}` }))
        : [],
    };
  }

  /** Returns true if settings of this type have a secret at the path. Returns true for every path of an unknown type. */
  hidesAt(type: string, path: Path): boolean {
    if (!this.checkers.has(type)) return true;
    const { settingsClass } = this.checkers.get(type);
    return settingsClass !== undefined && isMarkedAt(settingsClass, path);
  }

  /** Returns the secrets that a client sent in plain text instead of as masks. */
  namedSecrets(type: string, settings: object): string[] {
    const settingsClass = this.checkers.has(type) ? this.checkers.get(type).settingsClass : undefined;
    return settingsClass ? namedSecrets(settingsClass, settings) : [];
  }

  private hasSameSettings(type: string, { settingsClass }: Checker): boolean {
    return this.checkers.has(type) && this.checkers.get(type).settingsClass === settingsClass;
  }

  /** If the secrets can't be decrypted, the client must send them again. */
  private openOrForget(id: string, { type, settings }: Typed<StoredSettings | null>): object {
    try {
      return this.open(id, type, settings);
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error;
      return NO_SETTINGS;
    }
  }

  /** Unchanged settings keep their encrypted form, so that saving them changes nothing. */
  private stored(
    id: string,
    { settingsClass }: Checker,
    config: object,
    before: { settings: StoredSettings | null; opened: object } | null,
  ): StoredSettings | null {
    if (Object.keys(config).length === 0 || !settingsClass) return null;
    const sealed = before?.settings?.sealed;
    const isCurrent = sealed === undefined || this.secrets.isCurrent(sealed);
    if (before?.settings && isCurrent && isDeepStrictEqual({ ...before.opened }, config)) return before.settings;
    const hidden = markedValues(settingsClass, config);
    if (hidden.length === 0) return { values: config };
    const secrets = Object.fromEntries(hidden.map(({ path, value }) => [pointerOf(path), value]));
    return {
      values: mapMarked(settingsClass, config, () => MASK),
      sealed: this.secrets.seal(JSON.stringify(secrets), contextOf(id)),
    };
  }
}

const contextOf = (id: string): string => `endpoint:${id}:settings`;

const pointerOf = (path: Path): string => `/${path.join('/')}`;

/** Members that are `null` are removed, and masks are replaced with the stored values. */
function merged(
  { settingsClass }: Checker,
  sent: object | null | undefined,
  opened: object,
): { config: object; refused: RefusedMask[] } {
  if (sent === null) return { config: {}, refused: [] };
  const members = Object.entries({ ...opened, ...sent }).filter(([, value]) => value !== null);
  const config = Object.fromEntries(members) as object;
  return settingsClass ? unmask(settingsClass, config, opened) : { config, refused: [] };
}

/** Identifies the server that a check connects to, and how. */
function connectionOf({ settingsClass }: Checker, url: string, settings: object): string {
  const target = readUrl(url);
  const defaults = settingsClass ? connectionDefaults(settingsClass) : {};
  const how = { ...defaults, ...settings } as Readonly<Record<string, unknown>>;
  return JSON.stringify([
    target?.host ? `${target.protocol}//${target.host}` : url,
    Object.keys(defaults).map((key) => how[key]),
  ]);
}

/** Returns the pointers of the secrets that the client did not send in plain text. */
function keptSecrets({ settingsClass }: Checker, config: object, sent: object | null | undefined): string[] {
  const isSent = (path: Path): boolean => {
    const value = path.reduce<unknown>(
      (at, step) => (isRecord(at) || Array.isArray(at) ? (at as Record<string | number, unknown>)[step] : undefined),
      sent,
    );
    return (typeof value === 'string' || typeof value === 'number') && !isMasked(value);
  };
  const secrets = settingsClass ? markedValues(settingsClass, config) : [];
  return secrets.filter(({ path }) => !isSent(path)).map(({ path }) => pointerOf(path));
}

const resend = (pointer: string): FieldProblem => ({
  pointer,
  code: 'required',
  message: 'must be sent again, because the check connects to another server or in another way than before',
});

const refusedMask = ({ path, reason }: RefusedMask): FieldProblem => ({
  pointer: pointerOf(path),
  code: 'invalid_format',
  message:
    reason === 'unknown'
      ? 'is a mask, but no value is stored for it; send the real value'
      : 'must be sent as its real value, because the check connects to another server or in another way than before',
});
