// The parts of the generated module that the layer uses. The generated module replaces this file when the client is
// built. This file lets the layer be type-checked and linted on its own.

export interface FieldProblem {
  pointer: string;
  message: string;
}

export interface QuotaProblem {
  name: string;
  limit: number;
}

export interface Problem {
  title: string;
  status: number;
  detail: string;
  code: 'idempotency_key_in_use' | 'not_found';
  request_id: string;
  errors?: FieldProblem[];
  quota?: QuotaProblem;
}

interface Arguments {
  path?: object;
  query?: object;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Ops {
  listWebsites: { args: Arguments; result: object[]; item: object; headers: { xTotalCount?: number } };
  exportConfiguration: { args: Arguments; result: object };
  stream: {
    args: Arguments;
    result: { event: 'check'; id: string; data: object } | { event: 'ready' | 'reset' | 'ping'; data: object };
    kind: 'sse';
  };
}

export const OPERATIONS: { readonly [Id in keyof Ops]: object };

export const RESPONSE_TYPES: { readonly [id: string]: readonly string[] | undefined };

export const TEXT_BODIES: { readonly [id: string]: string | undefined };

export interface TextTypes {
  exportConfiguration: 'application/json' | 'application/yaml';
}

export function createClient(operations: typeof OPERATIONS, config: object): object;
