import type { ModuleMetadata } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import { filesIn, rememberFile } from './origin';

/** A Nest module, as in the `imports` of another module. */
export type NestModule = NonNullable<ModuleMetadata['imports']>[number];

/** An addition to the service from another package, without changes to the service. */
export interface Extension {
  /**
   * The name, which is lowercase and unique among the extensions of an installation. Don't change it, because it
   * identifies the extension's migrations.
   */
  readonly name: string;
  /** The modules. The service finds checkers and channels in their providers, and routes in their controllers. */
  readonly modules?: readonly NestModule[];
  /** The ID kinds with their prefixes. With `{ invoice: 'invc' }`, `formatId('invoice', uuid)` returns an `invc_…` ID. */
  readonly ids?: Readonly<Record<string, string>>;
  /** The ID kinds whose changes `recordChange` writes to the audit log. */
  readonly audited?: readonly string[];
  /**
   * The migrations. Each runs once at startup, ordered by the timestamp in its name, after the service's migrations.
   */
  readonly migrations?: readonly (new () => MigrationInterface)[];
  /**
   * A class of `@Env` fields, read from the environment and injectable. The variables start with the extension's name:
   * `BILLING_CURRENCY` for `billing`.
   */
  readonly settings?: new () => object;
}

/** Declares what a package adds. Use it as the `default` export of a file in `EXTENSIONS`. It is checked at startup. */
export function defineExtension(extension: Extension): Extension {
  // The caller in the stack is the extension's own file.
  rememberFile(extension, filesIn(new Error('defined').stack ?? '')[1]);
  return extension;
}

/** Returns the prefix of an extension's variables: `BILLING_` for `billing`, `SMS_GATE_` for `sms-gate`. */
export const settingPrefix = ({ name }: Pick<Extension, 'name'>): string =>
  `${name.toUpperCase().replaceAll('-', '_')}_`;
