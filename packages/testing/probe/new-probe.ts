import type { Api } from '../service/api';

/** The probe settings for `POST /probes`. */
export interface ProbeSettings {
  /** The name that endpoints use in `locations`. */
  key: string;
  name?: string;
  region?: string;
  /** Whether its checks may reach private addresses, which the kit's targets use. Default: true. */
  allow_private?: boolean;
}

/** A service, and a client for the organization that the probe is created in. Use `startService` or your own. */
export interface ServiceOfProbe {
  readonly url: string;
  /** A client with an admin key. */
  readonly admin: Api;
}

/** Creates a probe in the organization. Throws: the service's error if it refuses. */
export async function newProbe(
  { admin }: ServiceOfProbe,
  settings: ProbeSettings,
): Promise<{ id: string; token: string }> {
  const fields = { allow_private: true, ...settings };
  const { status, body, text } = await admin.post<{ id: string; token: string }>('/probes', fields);
  if (status !== 201) throw new Error(`no probe was created: ${status} ${text}`);
  return body;
}
