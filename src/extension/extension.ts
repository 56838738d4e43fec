import type { ModuleMetadata } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import { filesIn, rememberFile } from './origin';

/** A Nest module, as in the `imports` of another one. */
export type NestModule = NonNullable<ModuleMetadata['imports']>[number];

/** An addition to the service from another package, without changes to the service. */
export interface Extension {
  /**
   * The name, in lower case and unique among the extensions of an installation. Don't change it, because it identifies
   * the extension's migrations.
   */
  readonly name: string;
  /** The modules. The service finds checkers and channels in their providers, and routes in their controllers. */
  readonly modules?: readonly NestModule[];
  /** Kinds of IDs with their prefixes. `{ invoice: 'ivc' }` makes `formatId('invoice', uuid)` return an `ivc_…`. */
  readonly ids?: Readonly<Record<string, string>>;
  /** The kinds of IDs whose changes `recordChange` writes to the audit log. */
  readonly audited?: readonly string[];
  /** Migrations. Each is run once at the start, ordered by the time in its name, after the service's migrations. */
  readonly migrations?: readonly (new () => MigrationInterface)[];
  /**
   * A class of `@Env` fields, read from the environment and injectable. The variables start with the extension's name:
   * `BILLING_CURRENCY` for `billing`.
   */
  readonly settings?: new () => object;
}

/**
 * Declares what a package adds, and is the `default` export of a file in `EXTENSIONS`. It is checked when the service
 * starts.
 */
export function defineExtension(extension: Extension): Extension {
  // The caller in the stack is the extension's own file.
  rememberFile(extension, filesIn(new Error('defined').stack ?? '')[1]);
  return extension;
}

/** Returns the prefix of an extension's variables: `BILLING_` for `billing`, `SMS_GATE_` for `sms-gate`. */
export const settingPrefix = ({ name }: Pick<Extension, 'name'>): string =>
  `${name.toUpperCase().replaceAll('-', '_')}_`;
