import { isDeepStrictEqual } from 'node:util';
import { Injectable, Logger } from '@nestjs/common';
import { ChannelRegistry } from '../../channel/channel.registry';
import { ChannelConfigs, type ValidConfig } from '../../channel/config/channel-configs';
import type { Caller } from '../../platform/access/caller';
import { EgressPolicy } from '../../platform/net/egress/egress-policy';
import { type Findings, NO_FINDINGS, refuse, together } from '../../platform/problem/findings';
import type { FieldProblem } from '../../platform/problem/problem';
import { readUrl } from '../../platform/text/read-url';
import { type ConfigOwner, type SealedConfig, SealedConfigs } from './sealed-config';

/** The type, config, and destination to store. */
export interface ResolvedConfig {
  type: string;
  config: SealedConfig;
  destination: string | null;
  /**
   * True if notifications would have a different destination or format than before. Always true if there is no previous
   * config.
   */
  isChanged: boolean;
  /** The secrets generated for this request. Only its response shows them. */
  generatedKeys: readonly string[];
}

/** The type and config of a resource that is not stored. */
export interface AcceptedConfig {
  type: string;
  config: object;
  destination: string | null;
  /** The config as it appears to read keys and in the audit log. */
  masked: object;
}

export type SentConfig = { type?: string | undefined; config?: object | undefined };
export interface StoredConfig {
  type: string;
  config: SealedConfig;
  destination: string | null;
}

/** The result of validating a config together with the stored config of the same type. */
interface Judged {
  valid: ValidConfig | null;
  present: object | null;
  findings: Findings;
}

/** A config as a caller may see it. */
export interface PresentedConfig {
  config: object;
  destination: string | null;
  /** Why no message can be sent through it, or `null`. */
  cannotSend: string | null;
}

/** Converts alert and contact configs between the API and the rows. Validates, encrypts, decrypts, and masks them. */
@Injectable()
export class ChannelSettings {
  private readonly logger = new Logger(ChannelSettings.name);

  constructor(
    private readonly registry: ChannelRegistry,
    private readonly channels: ChannelConfigs,
    private readonly sealed: SealedConfigs,
    private readonly egress: EgressPolicy,
  ) {}

  /**
   * Returns what to store for the type and config that a client sent. `stored` is the current config. Without a new
   * type or config, it is left unchanged, and masked values keep their stored value. `others` contains other problems
   * with the body. Throws: `validation_failed`, `target_not_allowed`.
   */
  resolve(
    caller: Caller,
    owner: ConfigOwner,
    sent: SentConfig,
    stored: StoredConfig | null,
    others: Findings = NO_FINDINGS,
  ): ResolvedConfig {
    const type = sent.type ?? stored?.type ?? '';
    const { valid, present, findings } = this.judge(caller, owner, sent, stored);
    refuse(together([others, findings]));
    if (stored && valid === null) {
      const { config, destination } = stored;
      return { type, config, destination, isChanged: false, generatedKeys: [] };
    }
    if (valid === null) throw new Error('a config without problems is valid');
    const isChanged = !isDeepStrictEqual(valid.config, present);
    return {
      type,
      config:
        isChanged || !stored
          ? this.sealed.seal(owner, valid.config, this.registry.format(type, valid.config))
          : stored.config,
      destination: this.destinationOf(type, valid.config),
      isChanged,
      generatedKeys: valid.generatedKeys,
    };
  }

  /** Returns the problems that would make `resolve` reject these fields. A config can't be validated without a type. */
  findingsIn(caller: Caller, owner: ConfigOwner, sent: SentConfig, stored: StoredConfig | null): Findings {
    if (sent.type === undefined && stored === null) return NO_FINDINGS;
    return this.judge(caller, owner, sent, stored).findings;
  }

  /** Accepts a type and config that are not stored. Throws: the same errors as `resolve` for a new alert. */
  accept(caller: Caller, { type, config: sent }: { type: string; config: object }): AcceptedConfig {
    const { valid, findings } = this.judge(caller, UNSTORED, { type, config: sent }, null);
    refuse(findings);
    if (valid === null) throw new Error('a config without problems is valid');
    const { config } = valid;
    const masked = this.channels.present(type, config, 'read');
    return { type, config, destination: this.destinationOf(type, config), masked };
  }

  /**
   * Returns the config for a preview, with every credential masked. Throws: the same errors as `resolve` for a new
   * alert, but masked values are accepted.
   */
  forPreview(caller: Caller, { type, config }: { type: string; config: object }): object {
    if (!this.registry.has(type)) refuse({ invalid: [unsupportedType(this.registry.types())], forbidden: [] });
    const masked = this.channels.forPreview(type, config, caller.role);
    if (Array.isArray(masked)) {
      refuse({ invalid: masked as FieldProblem[], forbidden: [] });
      return {};
    }
    refuse({ invalid: [], forbidden: this.forbiddenHosts(caller, type, masked) });
    return masked;
  }

  /**
   * Returns the config as this caller may see it, its destination, and why no message can be sent, if that is known. A
   * config that can't be decrypted is shown as empty, because it must not hide other alerts.
   */
  present(
    { role }: Pick<Caller, 'role'>,
    owner: ConfigOwner,
    { type, config: stored }: Pick<StoredConfig, 'type' | 'config'>,
    generatedKeys: readonly string[] = [],
  ): PresentedConfig {
    const config = this.opened(owner, stored);
    if (!config) return { config: {}, destination: null, cannotSend: UNREADABLE };
    return {
      config: this.channels.present(type, config, role, generatedKeys),
      destination: this.channels.destination(type, config, role),
      cannotSend: this.registry.missing(type, config),
    };
  }

  /**
   * Returns the config with each credential and confidential value replaced, based on its path. Returns `null` if the
   * config can't be decrypted or the channel doesn't exist here.
   */
  replaced(
    owner: ConfigOwner,
    { type, config: stored }: Pick<StoredConfig, 'type' | 'config'>,
    replacement: (path: readonly (string | number)[]) => unknown,
  ): object | null {
    const config = this.registry.has(type) ? this.opened(owner, stored) : null;
    return config && this.channels.replaced(type, config, replacement);
  }

  /** See `ChannelConfigs.hidesAt`. */
  hidesAt(type: string, path: readonly (string | number)[]): boolean {
    return this.channels.hidesAt(type, path);
  }

  /** See `ChannelConfigs.namedSecrets`. */
  namedSecrets(type: string, config: object): string[] {
    return this.channels.namedSecrets(type, config);
  }

  /** If a channel throws here, that is a bug. The alert is saved anyway, without a destination. */
  private destinationOf(type: string, config: object): string | null {
    try {
      return this.registry.destination(type, config);
    } catch (error) {
      this.logger.error(
        `the ${type} channel failed to name its destination: ${error instanceof Error ? error.name : 'unknown'}`,
      );
      return null;
    }
  }

  /** Returns `null` and logs an error if the config can't be decrypted. */
  opened(owner: ConfigOwner, stored: SealedConfig): object | null {
    try {
      return this.sealed.open(owner, stored);
    } catch (error) {
      this.logger.error(`the config of ${owner} cannot be decrypted: ${String(error)}`);
      return null;
    }
  }

  /** Returns the config to store, or `null` if the current one is kept or the new one has a problem. */
  private judge(caller: Caller, owner: ConfigOwner, sent: SentConfig, stored: StoredConfig | null): Judged {
    const type = sent.type ?? stored?.type ?? '';
    const present = stored && stored.type === type ? stored : null;
    if (present && sent.config === undefined) return { valid: null, present: null, findings: NO_FINDINGS };
    if (type === '') return refused(sent.config === undefined ? [TYPE_MISSING, CONFIG_MISSING] : [TYPE_MISSING]);
    if (!this.registry.has(type)) return refused([unsupportedType(this.registry.types())]);
    if (sent.config === undefined) return refused([stored ? CONFIG_OF_ANOTHER_TYPE : CONFIG_MISSING]);
    const opened = present && this.opened(owner, present.config);
    const valid = this.channels.validate(type, sent.config, opened);
    if (Array.isArray(valid)) return refused(valid);
    const forbidden = this.forbiddenHosts(caller, type, valid.config);
    return { valid, present: opened, findings: { invalid: [], forbidden } };
  }

  /**
   * Every address is checked again when the connection is made. This check immediately warns a client about hosts that
   * can never work.
   */
  private forbiddenHosts(caller: Caller, type: string, config: object): FieldProblem[] {
    const rule = this.egress.forOrganization({ id: caller.orgId, isDefault: caller.isDefaultOrg });
    return this.channels.dialed(type, config).flatMap(({ pointer, value }): FieldProblem[] => {
      const message = this.egress.refusalOfHost(hostOf(value), rule);
      return message === null ? [] : [{ pointer, code: 'invalid_format', message }];
    });
  }
}

const UNREADABLE = 'The stored config cannot be read. Save it again.';

/** The owner for configs that are not stored. Nothing is encrypted for it. */
const UNSTORED: ConfigOwner = 'alert:';

/** A config for another type has no meaning for the new type, so both must be sent together. */
const CONFIG_OF_ANOTHER_TYPE: FieldProblem = {
  pointer: '/config',
  code: 'required',
  message: 'config is required when type changes: send the settings for the new type',
};

const CONFIG_MISSING: FieldProblem = { pointer: '/config', code: 'required', message: 'config is required' };
const TYPE_MISSING: FieldProblem = { pointer: '/type', code: 'required', message: 'type is required' };

const unsupportedType = (types: readonly string[]): FieldProblem => ({
  pointer: '/type',
  code: 'unsupported_type',
  message: `type must be one of: ${types.join(', ')}`,
});

const refused = (invalid: readonly FieldProblem[]): Judged => ({
  valid: null,
  present: null,
  findings: { invalid, forbidden: [] },
});

const hostOf = (value: string): string => readUrl(value)?.hostname || value;
