import { Injectable } from '@nestjs/common';
import type { EndpointSettings } from '../../../endpoint/endpoint.entity';
import { EndpointSettingsResolver } from '../../../endpoint/settings/endpoint-settings';
import type { CheckView } from '../../../history/read/check.dto';
import { Database } from '../../../platform/database/database';
import { problems } from '../../../platform/problem/problem';
import { SECOND_MS } from '../../../platform/time/time-units';
import { LOCAL_NAME, ProbeDirectory } from '../../../probe/probe-directory';
import { definitionOf } from '../definition';
import { type AskResult, type NewAsk, ProbeAsks } from './probe-asks';

export interface AskedThere {
  orgId: string;
  /** The probe's location name. */
  location: string;
  /** The check's timeout, in seconds. */
  timeout: number;
  left: AbortSignal;
}

/**
 * Returns where to run a check that a client requests: at the requested location if there is one, otherwise here if
 * this location is listed, otherwise at the first listed one. Throws `not_found` if the requested location isn't
 * listed.
 */
export function chosenLocation(listed: readonly string[], wanted: string | undefined): string {
  const location = wanted ?? (listed.includes(LOCAL_NAME) ? LOCAL_NAME : (listed[0] ?? LOCAL_NAME));
  if (!listed.includes(location)) throw problems.notFound();
  return location;
}

/** Client-requested checks that run at a probe's location. */
@Injectable()
export class ProbeChecks {
  constructor(
    private readonly database: Database,
    private readonly directory: ProbeDirectory,
    private readonly settings: EndpointSettingsResolver,
    private readonly asks: ProbeAsks,
  ) {}

  /**
   * Has a stored endpoint (UUID) checked at the location. The result is recorded like any other. `begin` is called once
   * the probe is known to be online. Throws `probe_offline`, `conflict` if the endpoint was changed in the meantime,
   * and the same errors as `ProbeAsks.ask`.
   */
  async stored(asked: AskedThere, endpointId: string, begin: () => Promise<void>): Promise<CheckView> {
    const result = await this.ask(asked, { endpointId, definition: null }, begin);
    if ('check' in result && result.check.id !== undefined)
      return { ...(result.check as CheckView), location: asked.location };
    throw problems.conflict('The endpoint was changed while it was being checked. Try again.');
  }

  /** Has an endpoint checked at the location without storing it. Throws the same errors as `stored`. */
  async tryOut(
    asked: AskedThere,
    id: string,
    settings: EndpointSettings,
    begin: () => Promise<void>,
  ): Promise<Omit<CheckView, 'id' | 'endpoint_id'>> {
    const definition = definitionOf(settings, this.settings.openSecrets(id, settings));
    const result = await this.ask(asked, { endpointId: null, definition }, begin);
    if ('check' in result) return { ...result.check, location: asked.location };
    throw problems.temporarilyUnavailable();
  }

  private async ask(
    { orgId, location, timeout, left }: AskedThere,
    what: Pick<NewAsk, 'endpointId' | 'definition'>,
    begin: () => Promise<void>,
  ): Promise<AskResult> {
    const probe = (await this.directory.named(this.database, orgId, [location])).get(location);
    if (!probe?.online || !probe.enabled) throw problems.probeOffline(location);
    await begin();
    return this.asks.ask({ number: probe.number, orgId, timeoutMs: timeout * SECOND_MS, left, ...what });
  }
}
