import { isDeepStrictEqual } from 'node:util';
import { Injectable, Logger } from '@nestjs/common';
import { ChannelRegistry } from '../channel/channel.registry';
import { ChannelConfigs } from '../channel/config/channel-configs';
import { type SealedConfig, SealedConfigs } from '../delivery/sealed-config';
import { refusalOf } from '../identity/quota/quotas';
import { Quotas } from '../identity/quota/quotas.service';
import type { Caller } from '../platform/access/caller';
import type { Tx } from '../platform/database/database';
import { EgressPolicy } from '../platform/net/egress/egress-policy';
import { type FieldProblem, problems } from '../platform/problem/problem';
import { readUrl } from '../platform/text/read-url';
import { Alert } from './alert.entity';

/** Type, config and destination as they are to be stored. */
export interface ResolvedConfig {
  type: string;
  config: SealedConfig;
  destination: string | null;
  /** True when notifications would go elsewhere or look different than before; always true for a new alert. */
  isChanged: boolean;
  /** Secrets generated for this request: shown in its response and never again. */
  generatedKeys: readonly string[];
}

/** The configs of alerts between the API and the rows: validated, encrypted, decrypted, masked. */
@Injectable()
export class AlertSettings {
  private readonly logger = new Logger(AlertSettings.name);

  constructor(
    private readonly registry: ChannelRegistry,
    private readonly channels: ChannelConfigs,
    private readonly sealed: SealedConfigs,
    private readonly egress: EgressPolicy,
    private readonly quotas: Quotas,
  ) {}

  /**
   * Room for one more alert on a held endpoint, or `quota_exceeded`. The claim keeps parallel creations apart, so that the
   * count of the endpoint's alerts is exact, too.
   */
  async claim(tx: Tx, orgId: string, endpointId: string): Promise<void> {
    const limits = await this.quotas.claim(tx, orgId, { alerts: 1 });
    const used = await tx.manager.countBy(Alert, { endpointId });
    const refusal = refusalOf('alerts_per_endpoint', limits.alerts_per_endpoint, used, 1);
    if (refusal) throw refusal;
  }

  /**
   * What to store for the type and config a client sent. `alert` is the present one: without a new type or config it
   * stays as it is, and masked values keep what it holds. Throws `validation_failed` and `target_not_allowed`.
   */
  resolve(
    caller: Caller,
    alertId: string,
    sent: { type?: string; config?: object },
    alert: Pick<Alert, 'type' | 'config' | 'destination'> | null,
  ): ResolvedConfig {
    const type = sent.type ?? alert?.type ?? '';
    if (alert && type === alert.type && sent.config === undefined) {
      const { config, destination } = alert;
      return { type, config, destination, isChanged: false, generatedKeys: [] };
    }
    const present = alert && alert.type === type ? this.open(alertId, alert.config) : null;
    const valid = this.channels.validate(this.known(type), configOf(sent), present);
    if (Array.isArray(valid)) throw problems.validationFailed(valid);
    this.refuseForbiddenHosts(caller, type, valid.config);
    const isChanged = !isDeepStrictEqual(valid.config, present);
    return {
      type,
      config: isChanged || !alert ? this.sealed.seal(alertId, valid.config) : alert.config,
      destination: this.destinationOf(type, valid.config),
      isChanged,
      generatedKeys: valid.generatedKeys,
    };
  }

  /** The config as this caller may see it. One that cannot be opened shows as empty: it must not hide the other alerts. */
  present(caller: Pick<Caller, 'role'>, alert: Alert, generatedKeys: readonly string[] = []): object {
    const config = this.open(alert.id, alert.config);
    return config ? this.channels.present(alert.type, config, caller.role, generatedKeys) : {};
  }

  /** A channel that throws here is a bug; the alert is saved all the same, without a destination. */
  private destinationOf(type: string, config: object): string | null {
    try {
      return this.registry.destination(type, config);
    } catch (error) {
      this.logger.error(`the ${type} channel names no destination: ${error instanceof Error ? error.name : 'unknown'}`);
      return null;
    }
  }

  private open(alertId: string, stored: SealedConfig): object | null {
    try {
      return this.sealed.open(alertId, stored);
    } catch (error) {
      this.logger.error(`the config of alert ${alertId} cannot be opened: ${String(error)}`);
      return null;
    }
  }

  private known(type: string): string {
    if (this.registry.has(type)) return type;
    throw problems.validationFailed([
      {
        pointer: '/type',
        code: 'unsupported_type',
        message: `type must be one of: ${this.registry.types().join(', ')}`,
      },
    ]);
  }

  /** Every address is checked again when it is dialed; here a client learns at once what can never work. */
  private refuseForbiddenHosts(caller: Caller, type: string, config: object): void {
    const rule = this.egress.forOrganization({ id: caller.orgId, isDefault: caller.isDefaultOrg });
    for (const { pointer, value } of this.channels.dialed(type, config)) {
      const refusal = this.egress.refusalOfHost(hostOf(value), rule);
      if (refusal !== null) throw problems.targetNotAllowed(pointer, refusal);
    }
  }
}

/** A config of another type means nothing to the new one, hence both or neither. */
function configOf(sent: { config?: object }): object {
  if (sent.config !== undefined) return sent.config;
  const missing: FieldProblem = {
    pointer: '/config',
    code: 'required',
    message: 'config is required when type changes: send the settings of the new type with it',
  };
  throw problems.validationFailed([missing]);
}

const hostOf = (value: string): string => readUrl(value)?.hostname || value;
