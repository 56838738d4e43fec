import { eventually } from '../../eventually';
import { BY_ITSELF_MS, type CheckView, conclusive } from './checked-endpoint';
import type { Session } from './session';
import { createdIn, newAlert, newEndpoint, newWebsite, type Thing } from './things';

/** Creates a manual incident for one endpoint, with a first update. */
export async function newIncident(session: Session, endpointId: string): Promise<Thing> {
  const fields = { title: session.name('incident'), scope: { endpoint_ids: [endpointId] }, text: 'We look into it.' };
  return createdIn(await session.write.post('/incidents', fields));
}

/** Two endpoints on one website that are down, each with a triggered alert. Tests split and merge their incidents. */
export class DownTogether {
  private constructor(
    private readonly session: Session,
    readonly endpoints: readonly [string, string],
  ) {}

  static async make(session: Session): Promise<DownTogether> {
    const website = (await newWebsite(session)).id;
    const down = async (): Promise<string> => {
      const path = `/${session.key('down')}`;
      session.bench.respond(path, 503);
      const { id } = await newEndpoint(session, { url: session.bench.url(path) }, website);
      await newAlert(session, { failure_threshold: 1 }, id);
      await conclusive(() => session.write.post<CheckView>(`/endpoints/${id}/checks`));
      return id;
    };
    const made = new DownTogether(session, [await down(), await down()]);
    await eventually(
      'two endpoints that are down to be in an incident',
      async () => (await made.open()).every((id) => id !== undefined),
      BY_ITSELF_MS,
    );
    return made;
  }

  /** Returns the ID of the incident they share, merging incidents if needed. */
  async together(): Promise<string> {
    const [one = '', other = ''] = await this.open();
    if (one !== other) await this.session.write.post(`/incidents/${one}/merge`, { incident_ids: [other] });
    return one;
  }

  /** Returns the IDs of their separate incidents, splitting the incident if needed. */
  async apart(): Promise<[string, string]> {
    const [one = '', other = ''] = await this.open();
    if (one !== other) return [one, other];
    const split = { endpoint_ids: [this.endpoints[1]] };
    return [one, (await this.session.write.post<Thing>(`/incidents/${one}/split`, split)).body.id];
  }

  private open(): Promise<(string | undefined)[]> {
    const incidentOf = async (id: string) =>
      (await this.session.read.get<Thing[]>(`/incidents?state=open&kind=detected&endpoint_id=${id}`)).body[0]?.id;
    return Promise.all(this.endpoints.map(incidentOf));
  }
}
