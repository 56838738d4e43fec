import { z } from 'zod';
import { CHECK_TIMEOUT_MS, typeNamed, typeOfUrl } from '../uptime/endpoint-commands';
import { read } from './read-response';
import { EndpointReference, findEndpoint } from './reference';
import { InputError, tool } from './tool';
import { CheckView } from './views';

const CheckOutput = z.object({ check: CheckView });
const MADE_A_CHECK = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };

export const TargetUrl = z
  .string()
  .min(1)
  .max(2048)
  .describe('The target to check, such as https://shop.example.com/, tcp://db.example.com:5432, or dns://example.com.');

export const TargetType = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,31}$/)
  .optional()
  .describe('HTTP, HTTPS, TCP, DNS, ICMP, SSH, … The default depends on the scheme of url.');

/** Returns the given type, or the type that the URL scheme implies. Throws: `InputError` if neither is known. */
export function targetType(type: string | undefined, url: string): ReturnType<typeof typeNamed> {
  const found = type === undefined ? typeOfUrl(url) : typeNamed(type);
  if (found === null)
    throw new InputError(
      'unclear_type',
      'The scheme of url does not determine the type. Give type as well, such as TCP.',
    );
  return found;
}

export const testTarget = tool({
  name: 'test_target',
  title: 'Test a target',
  description:
    'Checks a target once, from the service. Stores only an entry in the audit log. Use it for a target that is not monitored yet, and check_now for an endpoint.',
  role: 'write',
  hints: MADE_A_CHECK,
  input: z.strictObject({
    url: TargetUrl,
    type: TargetType,
    timeout_seconds: z.int().min(1).max(60).default(10).describe('The maximum duration of the check.'),
  }),
  output: CheckOutput,
  async run({ url, type, timeout_seconds }, uptime) {
    const body = { name: 'uptime mcp', type: targetType(type, url), url, timeout: timeout_seconds };
    const check = read(CheckView, await uptime.testEndpoint({ body }, { timeoutMs: CHECK_TIMEOUT_MS }));
    return { text: 'Checked once. The result is not recorded.', data: { check } };
  },
});

export const checkNow = tool({
  name: 'check_now',
  title: 'Check an endpoint now',
  description:
    'Runs one check of an endpoint now and records it like any other check. It counts toward uptime and can trigger alerts, which notify people. It can take as long as the timeout of the endpoint.',
  role: 'write',
  hints: MADE_A_CHECK,
  input: z.strictObject({ endpoint: EndpointReference }),
  output: CheckOutput.extend({ endpoint_id: z.string() }),
  async run({ endpoint: reference }, uptime) {
    const { id } = (await findEndpoint(uptime, reference)).endpoint;
    const check = read(CheckView, await uptime.runCheck({ path: { id } }, { timeoutMs: CHECK_TIMEOUT_MS }));
    return { text: `Checked ${id}. The result is recorded.`, data: { endpoint_id: id, check } };
  },
});
