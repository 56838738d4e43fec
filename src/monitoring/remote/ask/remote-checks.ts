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

/** Which check is asked for, where. */
export interface AskedThere {
  orgId: string;
  /** Of a probe. */
  location: string;
  /** Seconds. */
  timeout: number;
  left: AbortSignal;
}

/** Where a check that somebody asks for is made: where they say, else here where that is listed, else at the first. Throws `not_found` for what is not listed. */
export function chosenLocation(listed: readonly string[], wanted: string | undefined): string {
  const location = wanted ?? (listed.includes(LOCAL_NAME) ? LOCAL_NAME : (listed[0] ?? LOCAL_NAME));
  if (!listed.includes(location)) throw problems.notFound();
  return location;
}

/** Checks that clients ask for at the location of a probe. */
@Injectable()
export class RemoteChecks {
  constructor(
    private readonly database: Database,
    private readonly directory: ProbeDirectory,
    private readonly settings: EndpointSettingsResolver,
    private readonly asks: ProbeAsks,
  ) {}

  /**
   * Has a stored endpoint (uuid) checked there, recorded like any other check. `begin` is called when the probe is found to be online.
   * Throws `probe_offline`, `conflict` when the endpoint was changed meanwhile, and what `ProbeAsks.ask` throws.
   */
  async stored(asked: AskedThere, endpointId: string, begin: () => Promise<void>): Promise<CheckView> {
    const result = await this.ask(asked, { endpointId, definition: null }, begin);
    if ('check' in result && result.check.id !== undefined)
      return { ...(result.check as CheckView), location: asked.location };
    throw problems.conflict('The endpoint was changed while it was being checked. Try again.');
  }

  /** Has something checked there that is not stored. Throws what `stored` throws. */
  async tryOut(
    asked: AskedThere,
    id: string,
    settings: EndpointSettings,
    begin: () => Promise<void>,
  ): Promise<Omit<CheckView, 'id' | 'endpoint_id'>> {
    const definition = definitionOf(settings, this.settings.openHeaders(id, settings.headers));
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
