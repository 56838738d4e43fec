export interface SignedIn {
  status: number;
  /** In the form `name=value`, or empty if the sign-in was refused. */
  cookie: string;
  requestId: string;
  retryAfter: string | null;
}

/** Signs in like the dashboard. If `cookie` is set, its session is replaced. */
export async function signIn(url: string, credentials: object, cookie?: string): Promise<SignedIn> {
  const { status, headers } = await fetch(`${url}/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(cookie === undefined ? {} : { cookie }) },
    body: JSON.stringify(credentials),
  });
  return {
    status,
    cookie: headers.get('set-cookie')?.split(';')[0] ?? '',
    requestId: headers.get('x-request-id') ?? '',
    retryAfter: headers.get('retry-after'),
  };
}

/** Returns the headers that the dashboard sends with a state-changing request. */
export const fromDashboard = (url: string, cookie: string): Record<string, string> => ({
  cookie,
  'content-type': 'application/json',
  origin: url,
  'sec-fetch-site': 'same-origin',
});

export async function signOut(url: string, cookie: string): Promise<number> {
  return (await fetch(`${url}/auth/session`, { method: 'DELETE', headers: fromDashboard(url, cookie) })).status;
}
