import { isSensitiveHeader } from '../../../checker/request-headers';

export function unverifiedProblem(
  _: { verify: boolean; ca: null; serverName: null },
  { headers, body }: { url: string; headers: { key: string; value: string }[]; body: string | null },
): { message: string } | null {
  return headers.some(({ key }) => isSensitiveHeader(key)) || body !== null
    ? { message: 'it sends what may be a credential' }
    : null;
}
