import type { ApiResponse } from '../../service/api';

/** The body of every error from the service (RFC 9457, section 3). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  request_id: string;
  errors?: { pointer: string; code: string; message: string }[];
}

export type Refusal = ApiResponse<Problem | null>;

/** Asserts that the response is a well-formed error with this status and code. */
export function expectProblem(response: ApiResponse, status: number, code: string): void {
  const { body, headers } = response as Refusal;
  expect([response.status, body?.code]).toEqual([status, code]);
  expect(headers['content-type']).toMatch(/^application\/problem\+json(;|$)/);
  expect(body).toMatchObject({
    type: expect.stringMatching(/^[a-z]+:/),
    title: expect.stringMatching(/./),
    status,
    detail: expect.stringMatching(/./),
    instance: expect.stringContaining(headers['x-request-id'] ?? 'no request id'),
    request_id: headers['x-request-id'],
  });
}

/** Asserts that the response is a 400 `validation_failed` that reports this field with this code. */
export function expectFieldError(response: ApiResponse, pointer: string, code: string): void {
  expectProblem(response, 400, 'validation_failed');
  expect((response as Refusal).body?.errors).toContainEqual({ pointer, code, message: expect.stringMatching(/./) });
}

export const pointersOf = (response: ApiResponse): string[] =>
  ((response as Refusal).body?.errors ?? []).map(({ pointer }) => pointer).sort();

/** Returns the response without the parts that are unique to the request, so that two refusals can be compared. */
export function alike({ status, headers, text }: ApiResponse): unknown {
  const id = headers['x-request-id'];
  return { status, type: headers['content-type'], text: id ? text.replaceAll(id, 'the request id') : text };
}
