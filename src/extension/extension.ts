import type { ModuleMetadata } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import { filesIn, rememberFile } from './origin';

/** A Nest module, as the `imports` of another one take it. */
export type NestModule = NonNullable<ModuleMetadata['imports']>[number];

/** What somebody adds to the service from a package of their own, without changing it. */
export interface Extension {
  /** Lower case, unique among the extensions of an installation; it stays: what an extension has migrated is known by it. */
  readonly name: string;
  /** Checkers and channels in their providers, and routes of their controllers, are found like those of the service. */
  readonly modules?: readonly NestModule[];
  /** Kinds of ids with their prefixes: `{ invoice: 'ivc' }` makes `formatId('invoice', uuid)` an `ivc_…`. */
  readonly ids?: Readonly<Record<string, string>>;
  /** Those kinds of ids whose changes `recordChange` writes to the audit log. */
  readonly audited?: readonly string[];
  /** Run once each at the start, in the order of the time in their names, after those of the service. */
  readonly migrations?: readonly (new () => MigrationInterface)[];
  /**
   * A class of `@Env` fields, read from the environment and injectable by itself. The variables begin with the extension's
   * name: `BILLING_CURRENCY` for `billing`.
   */
  readonly settings?: new () => object;
}

/** Names what a package adds; checked as a whole when the service starts. The `default` export of a file that `EXTENSIONS` names. */
export function defineExtension(extension: Extension): Extension {
  // Behind this function, where it is called: the extension's own file.
  rememberFile(extension, filesIn(new Error('defined').stack ?? '')[1]);
  return extension;
}

/** What the variables of an extension begin with: `BILLING_` for `billing`, `SMS_GATE_` for `sms-gate`. */
export const settingPrefix = ({ name }: Pick<Extension, 'name'>): string =>
  `${name.toUpperCase().replaceAll('-', '_')}_`;
