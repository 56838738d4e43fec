import { eventually } from '../../eventually';
import { BY_ITSELF_MS, CheckedEndpoint } from '../session/checked-endpoint';
import { type Caller } from '../session/caller';
import { DownTogether, newIncident } from '../session/incidents';
import { newMember } from '../session/members';
import { SecondFactorHolder } from '../session/second-factor';
import type { Session } from '../session/session';
import {
  createdIn,
  newAlert,
  newContact,
  newEndpoint,
  newPage,
  newProbe,
  newSharedProbe,
  newWebsite,
  newWindow,
  type Thing,
} from '../session/things';

/** An endpoint that is down, with its triggered alert and a successful delivery. */
export interface OpenIncident {
  endpoint: string;
  alert: string;
  delivery: string;
}

/** The resources that the document's operations need. Each is created on first use. */
export class Scene {
  constructor(readonly session: Session) {}

  readonly website = once(async () => (await newWebsite(this.session)).id);
  readonly endpoint = once(async () => (await newEndpoint(this.session, {}, await this.website())).id);
  readonly alert = once(async () => (await newAlert(this.session, {}, await this.endpoint())).id);
  readonly contact = once(async () => (await newContact(this.session)).id);
  readonly window = once(async () => (await newWindow(this.session, await this.endpoint())).id);
  readonly page = once(async (): Promise<Thing> => newPage(this.session, await this.endpoint()));
  readonly manualIncident = once(async () => (await newIncident(this.session, await this.endpoint())).id);
  readonly downTogether = once(() => DownTogether.make(this.session));
  readonly incident = once(() => openIncident(this.session));
  readonly other = once(() => otherOrganization(this.session));
  readonly member = once(() => newMember(this.session));
  /** A member who is removed from the organization and joins again. */
  readonly guest = once(() => newMember(this.session));
  /** A member whose password is changed, which invalidates all cookies. */
  readonly forgetful = once(() => newMember(this.session));
  /** A member whose recovery codes have been replaced with codes that aren't known here. */
  readonly renewing = once(() => SecondFactorHolder.make(this.session));
  readonly removing = once(() => SecondFactorHolder.make(this.session));
  readonly probe = once(async () => (await newProbe(this.session)).id);
  /** A probe whose token is used and never rotated. */
  readonly callingProbe = once(() => newProbe(this.session));
  readonly sharedProbe = once(async () => (await newSharedProbe(this.session)).id);
  readonly cookie = once(() => cookieOf(this.session));
}

/** Another organization, created by the operator for this run, with its admin key. */
export interface OtherOrganization {
  id: string;
  admin: Caller;
}

async function otherOrganization(session: Session): Promise<OtherOrganization> {
  const made = await session.operator.post<{ id: string; api_key: { key: string } }>('/organizations', {
    name: session.name('organization'),
  });
  const { id, api_key } = createdIn(made);
  return { id, admin: session.as(api_key.key) };
}

async function openIncident(session: Session): Promise<OpenIncident> {
  const endpoint = await CheckedEndpoint.take(session);
  const alert = (await newAlert(session, { failure_threshold: 1 }, endpoint.id)).id;
  await endpoint.check('down');
  const delivery = await eventually(
    'the notification of an incident to be delivered',
    async () => {
      const { body } = await session.read.get<{ id: string; state: string }[]>(`/alerts/${alert}/deliveries`);
      return body.find(({ state }) => state === 'delivered');
    },
    BY_ITSELF_MS,
  );
  return { endpoint: endpoint.id, alert, delivery: delivery.id };
}

/** Returns the cookie from a browser that signed in with the read key, as `name=value`. */
async function cookieOf(session: Session): Promise<string> {
  const { headers, text } = await session.anonymous.send('POST', '/auth/session', {
    json: { api_key: session.read.key },
  });
  const cookie = headers['set-cookie']?.split(';')[0];
  if (cookie === undefined) throw new Error(`signing in set no cookie: ${text}`);
  return cookie;
}

/** Creates the value on the first call and returns it on every later call. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}
