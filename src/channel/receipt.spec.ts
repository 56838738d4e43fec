import { isTaken, type Promised } from './receipt';

const PROMISED: Promised = {
  hosts: /(?:^|\.)vendor\.example$/,
  isKept: ({ status, body }) => status === 202 && body === 'ok',
};

const response = (status: number, body: string) => {
  const read = (): unknown => {
    try {
      return JSON.parse(body);
    } catch {
      return null;
    }
  };
  const value = read();
  const json =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  return { status, body, json, headers: {}, address: '192.0.2.1' };
};

const ofCompatible = (status: number, body: string) =>
  isTaken('https://chat.example.com/hooks/x', PROMISED, response(status, body));

describe('a compatible server', () => {
  it.each([
    [200, 'ok'],
    [200, 'OK\n'],
    [200, ''],
    [200, '{}'],
    [200, '{"ok":true}'],
    [200, '{"success":true,"error":null,"errors":[]}'],
    [200, '{"result":"success","msg":""}'],
    [200, '{"id":"1","content":"no_text"}'],
    [200, 'message_sent'],
    [200, '"ok"'],
    [200, '1'],
    [201, '{"status":"queued","error_code":null}'],
    [202, 'accepted'],
    [204, ''],
    [299, 'whatever'],
  ])('that responds with %i and %j has accepted the message', (status, body) => {
    expect(ofCompatible(status, body)).toBe(true);
  });

  it.each([
    [200, '{"ok":false}'],
    [200, '{"ok":false,"error":"channel_not_found"}'],
    [200, '{"success":false}'],
    [200, '{"error":"unknown hook"}'],
    [200, '{"error":{"code":7}}'],
    [200, '{"errors":["no such room"]}'],
    [200, '{"result":"error","msg":"Invalid API key"}'],
    [200, '{"status":"failed"}'],
    [200, '{"status":403}'],
    [200, 'no_text'],
    [200, 'invalid_payload\n'],
    [200, 'channel_not_found'],
    [200, 'channel_is_archived'],
    [200, 'Error: unknown hook'],
    [200, 'false'],
    [200, '<!DOCTYPE html><title>Sign in</title>'],
    [202, '{"ok":false}'],
    [199, 'ok'],
    [302, 'ok'],
    [400, 'ok'],
    [500, '{"ok":true}'],
  ])('that responds with %i and %j has not accepted the message', (status, body) => {
    expect(ofCompatible(status, body)).toBe(false);
  });
});

describe("the vendor's own host", () => {
  it.each([
    ['https://vendor.example/x', 202, 'ok', true],
    ['https://hooks.vendor.example/x', 202, 'ok', true],
    ['https://hooks.vendor.example/x', 200, 'ok', false],
    ['https://hooks.vendor.example/x', 202, 'OK', false],
    ['https://not-vendor.example/x', 200, 'OK', true],
    ['https://vendor.example.com/x', 200, 'OK', true],
  ])('%s that responds with %i and %j: %s', (url, status, body, taken) => {
    expect(isTaken(url, PROMISED, response(status, body))).toBe(taken);
  });
});
