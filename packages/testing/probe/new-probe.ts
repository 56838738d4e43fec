import type { Api } from '../service/api';

/** A probe, as `POST /probes` takes it. */
export interface ProbeSettings {
  /** What endpoints name it by in their `locations`. */
  key: string;
  name?: string;
  region?: string;
  /** Whether its checks may reach private addresses: the targets of the kit have one. Default true. */
  allow_private?: boolean;
}

/** A service, and a client of the organization that gets the probe: one of `startService`, or any other. */
export interface ServiceOfProbe {
  readonly url: string;
  /** With the key of an admin. */
  readonly admin: Api;
}

/** Makes a probe in the organization. Throws what the service said if it refuses. */
export async function newProbe(
  { admin }: ServiceOfProbe,
  settings: ProbeSettings,
): Promise<{ id: string; token: string }> {
  const fields = { allow_private: true, ...settings };
  const { status, body, text } = await admin.post<{ id: string; token: string }>('/probes', fields);
  if (status !== 201) throw new Error(`no probe was created: ${status} ${text}`);
  return body;
}
