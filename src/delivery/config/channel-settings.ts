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

/** Type, config and destination as they are to be stored. */
export interface ResolvedConfig {
  type: string;
  config: SealedConfig;
  destination: string | null;
  /** True when notifications would go elsewhere or look different than before; always true where there was none. */
  isChanged: boolean;
  /** Secrets generated for this request: shown in its response and never again. */
  generatedKeys: readonly string[];
}

/** Type and config of what is not stored. */
export interface AcceptedConfig {
  type: string;
  config: object;
  destination: string | null;
  /** As read keys and the audit log see it. */
  masked: object;
}

/** Type and config as a client sends them. */
export type SentConfig = { type?: string | undefined; config?: object | undefined };
/** Type, config and destination as they are stored. */
export interface StoredConfig {
  type: string;
  config: SealedConfig;
  destination: string | null;
}

/** What became of a config that was sent, beside the present one of the same type. */
interface Judged {
  valid: ValidConfig | null;
  present: object | null;
  findings: Findings;
}

/** The configs of alerts and contacts between the API and the rows: validated, encrypted, decrypted, masked. */
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
   * What to store for the type and config a client sent. `stored` is the present one: without a new type or config it
   * stays as it is, and masked values keep what it holds. Throws `validation_failed` and `target_not_allowed`; `others`
   * are what else is wrong with the body.
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
      config: isChanged || !stored ? this.sealed.seal(owner, valid.config) : stored.config,
      destination: this.destinationOf(type, valid.config),
      isChanged,
      generatedKeys: valid.generatedKeys,
    };
  }

  /** What `resolve` would refuse in these fields. Without a type there is nothing that a config could be judged by. */
  findingsIn(caller: Caller, owner: ConfigOwner, sent: SentConfig, stored: StoredConfig | null): Findings {
    if (sent.type === undefined && stored === null) return NO_FINDINGS;
    return this.judge(caller, owner, sent, stored).findings;
  }

  /** Type and config that a client sent and nothing stores: throws what `resolve` throws for a new alert. */
  accept(caller: Caller, { type, config: sent }: { type: string; config: object }): AcceptedConfig {
    const { valid, findings } = this.judge(caller, UNSTORED, { type, config: sent }, null);
    refuse(findings);
    if (valid === null) throw new Error('a config without problems is valid');
    const { config } = valid;
    const masked = this.channels.present(type, config, 'read');
    return { type, config, destination: this.destinationOf(type, config), masked };
  }

  /**
   * The config as this caller may see it, and where it notifies. One that cannot be opened shows as empty: it must not
   * hide the other alerts.
   */
  present(
    { role }: Pick<Caller, 'role'>,
    owner: ConfigOwner,
    { type, config: stored }: Pick<StoredConfig, 'type' | 'config'>,
    generatedKeys: readonly string[] = [],
  ): { config: object; destination: string | null } {
    const config = this.opened(owner, stored);
    if (!config) return { config: {}, destination: null };
    return {
      config: this.channels.present(type, config, role, generatedKeys),
      destination: this.channels.destination(type, config, role),
    };
  }

  /**
   * The config with something else in place of each credential and confidential value, given its path. `null` when it
   * cannot be opened, or when there is no such channel here.
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

  /** A channel that throws here is a bug; the alert is saved all the same, without a destination. */
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

  /** `null` when it cannot be opened, which is logged. */
  opened(owner: ConfigOwner, stored: SealedConfig): object | null {
    try {
      return this.sealed.open(owner, stored);
    } catch (error) {
      this.logger.error(`the config of ${owner} cannot be decrypted: ${String(error)}`);
      return null;
    }
  }

  /** The config to store, `null` when the present one stays or something is wrong with it. */
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

  /** Every address is checked again when it is dialed; here a client learns at once what can never work. */
  private forbiddenHosts(caller: Caller, type: string, config: object): FieldProblem[] {
    const rule = this.egress.forOrganization({ id: caller.orgId, isDefault: caller.isDefaultOrg });
    return this.channels.dialed(type, config).flatMap(({ pointer, value }): FieldProblem[] => {
      const message = this.egress.refusalOfHost(hostOf(value), rule);
      return message === null ? [] : [{ pointer, code: 'invalid_format', message }];
    });
  }
}

/** Owner of what nothing stores: nothing is sealed for it. */
const UNSTORED: ConfigOwner = 'alert:';

/** A config of another type means nothing to the new one, hence both or neither. */
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
