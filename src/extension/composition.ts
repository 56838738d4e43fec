import { AUDITED } from '../audit/audited-change';
import { Config } from '../platform/config/config';
import { envNames } from '../platform/config/env';
import type { ExtensionMigration } from '../platform/database/extension-migrations';
import { StartError } from '../platform/config/start-error';
import { ID_PREFIXES } from '../platform/ids/id';
import { requireOneCopy } from './copies';
import { type Extension, type NestModule, settingPrefix } from './extension';
import { type Origin, originsOf } from './origin';

export interface Composition {
  readonly modules: readonly NestModule[];
  /** The prefix for each kind of ID. */
  readonly ids: Readonly<Record<string, string>>;
  readonly audited: readonly string[];
  readonly migrations: readonly ExtensionMigration[];
  readonly settings: readonly (new () => object)[];
  /** The known origins of the extensions. They connect a stack trace to an extension. */
  readonly origins: readonly Origin[];
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MAX_NAME = 40;
const KIND = /^[a-z][A-Za-z0-9_]{0,39}$/;
const PREFIX = /^[a-z]{4,8}$/;
/**
 * Prefixes that extensions could choose until 0.1.0. They may collide with a prefix that a release adds, because those
 * have at most three letters.
 */
const SHORT_PREFIX = /^[a-z]{2,3}$/;
/** The prefix of the service's API keys, which no ID kind may use. */
const KEY_PREFIX = 'ums';
/** TypeORM's format: a timestamp in milliseconds at the end of the class name. */
const MIGRATION = /^[A-Za-z]\w*?(\d{13})$/;

/** Combines extensions. Throws: a `StartError` with one sentence for each mistake or conflict. */
export function compose(extensions: readonly Extension[]): Composition {
  // This check comes first, because the service can't see what a second copy has decorated.
  if (extensions.length > 0) requireOneCopy();
  const conflicts = [
    ...extensions.flatMap(nameConflicts),
    ...idConflicts(extensions),
    ...extensions.flatMap(auditConflicts),
    ...extensions.flatMap(migrationConflicts),
    ...settingConflicts(extensions),
  ];
  if (conflicts.length > 0) throw new StartError(conflicts.join('\n'));
  return {
    modules: extensions.flatMap(({ modules = [] }) => modules),
    ids: Object.fromEntries(extensions.flatMap(({ ids = {} }) => Object.entries(ids))),
    audited: extensions.flatMap(({ audited = [] }) => audited),
    migrations: extensions.flatMap(migrationsOf),
    settings: extensions.flatMap(({ settings }) => settings ?? []),
    origins: originsOf(extensions),
  };
}

/** Returns one sentence for each prefix that a later release of the service may claim. */
export const shortPrefixes = (extensions: readonly Extension[]): string[] =>
  extensions.flatMap((extension) =>
    Object.entries(extension.ids ?? {})
      .filter(([, prefix]) => SHORT_PREFIX.test(prefix))
      .map(([kind, prefix]) =>
        about(
          extension,
          `the id prefix "${prefix}" of "${kind}" has fewer than four letters. A later release may use it and then not start. Choose a longer one.`,
        ),
      ),
  );

const about = ({ name }: Extension, text: string): string => `Extension "${name}": ${text}`;

function nameConflicts(extension: Extension, index: number, all: readonly Extension[]): string[] {
  const { name } = extension;
  if (typeof name !== 'string' || !NAME.test(name) || name.length > MAX_NAME)
    return [
      about(
        extension,
        `a name must consist of lower-case letters, digits and single hyphens, such as "billing", and have at most ${MAX_NAME} characters.`,
      ),
    ];
  const isSecond = all.findIndex((other) => other.name === name) < index;
  return isSecond ? [about(extension, 'there are two extensions with this name. Remove one, or rename it.')] : [];
}

/** ID kinds and prefixes must be unique in the installation, so that an ID shows its kind. */
function idConflicts(extensions: readonly Extension[]): string[] {
  const kinds = new Map(Object.keys(ID_PREFIXES).map((kind) => [kind, 'the service']));
  const prefixes = new Map(Object.entries(ID_PREFIXES).map(([kind, prefix]) => [prefix as string, `"${kind}"`]));
  const conflicts: string[] = [];
  for (const extension of extensions)
    for (const [kind, prefix] of Object.entries(extension.ids ?? {})) {
      const sayAbout = (text: string): unknown => conflicts.push(about(extension, text));
      if (!KIND.test(kind))
        sayAbout(`the kind of id "${kind}" must be a word of letters and digits, such as "invoice".`);
      if (!PREFIX.test(prefix) && !SHORT_PREFIX.test(prefix))
        sayAbout(`the id prefix "${prefix}" must be four to eight lower-case letters.`);
      const owner = kinds.get(kind);
      if (owner !== undefined) sayAbout(`the kind of id "${kind}" already belongs to ${owner}. Choose another name.`);
      const other = prefix === KEY_PREFIX ? 'API keys' : prefixes.get(prefix);
      if (other !== undefined)
        sayAbout(`the id prefix "${prefix}" of "${kind}" already belongs to ${other}. Choose another prefix.`);
      kinds.set(kind, `extension "${extension.name}"`);
      prefixes.set(prefix, `"${kind}" of extension "${extension.name}"`);
    }
  return conflicts;
}

function auditConflicts(extension: Extension): string[] {
  const { audited = [], ids = {} } = extension;
  return audited.flatMap((resource) => {
    if (Object.hasOwn(AUDITED, resource))
      return [
        about(extension, `the audited resource "${resource}" already belongs to the service. Choose another name.`),
      ];
    if (!Object.hasOwn(ids, resource))
      return [
        about(
          extension,
          `the audited resource "${resource}" has no prefix in "ids", but entries show the id of the resource that changed.`,
        ),
      ];
    return [];
  });
}

function migrationConflicts(extension: Extension): string[] {
  const names = (extension.migrations ?? []).map(({ name }) => name);
  return names.flatMap((name, index) => {
    if (!MIGRATION.test(name))
      return [
        about(
          extension,
          `the name of migration ${name} must end in its time in milliseconds, as in Invoices1800000000000.`,
        ),
      ];
    return names.indexOf(name) < index
      ? [about(extension, `there are two migrations ${name}. Rename the newer one.`)]
      : [];
  });
}

function migrationsOf({ name: extension, migrations = [] }: Extension): ExtensionMigration[] {
  const timeOf = (name: string): number => Number(MIGRATION.exec(name)?.[1]);
  return migrations
    .map(
      (Migration) =>
        ({ extension, name: Migration.name, up: (runner) => new Migration().up(runner) }) satisfies ExtensionMigration,
    )
    .toSorted((a, b) => timeOf(a.name) - timeOf(b.name));
}

function settingConflicts(extensions: readonly Extension[]): string[] {
  const owners = new Map([...envNames(Config).values()].map((name) => [name, 'the service']));
  const conflicts: string[] = [];
  for (const extension of extensions) {
    if (!extension.settings) continue;
    const prefix = settingPrefix(extension);
    const names = envNames(extension.settings);
    if (names.size === 0)
      conflicts.push(
        about(extension, `no field of ${extension.settings.name} is a setting: declare one with @Env('${prefix}…').`),
      );
    for (const name of names.values()) {
      const owner = owners.get(name);
      if (owner !== undefined) conflicts.push(about(extension, `the setting ${name} already belongs to ${owner}.`));
      else if (!name.startsWith(prefix))
        conflicts.push(
          about(
            extension,
            `the setting ${name} must start with ${prefix}, so that it cannot be confused with a variable of another program.`,
          ),
        );
      owners.set(name, `extension "${extension.name}"`);
    }
  }
  return conflicts;
}
