import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import * as field from '../config/config-fields';
import type { ValueRule } from '../config/config-validation';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { textOf, valueAt } from './json-value';

const MAX_STATUSES = 20;

/** Accepts a text, a number, or true or false. */
const scalar: ValueRule = (value) => {
  if (typeof value === 'string') return field.text({ max: 200, min: 0 })(value);
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
    ? []
    : [{ pointer: '', code: 'wrong_type', message: 'must be a string, a number, or true or false' }];
};

export class WebhookSuccessJson {
  @ApiProperty({
    description: 'The path of a value in the JSON of the response, such as `code` or `data.status`.',
    example: 'code',
    maxLength: 200,
  })
  @field.Required(field.text({ max: 200, pattern: /^[^.\s]+(?:\.[^.\s]+)*$/, form: 'a path such as data.status' }))
  path!: string;

  @ApiProperty({
    description: 'The value that means success.',
    example: 0,
    oneOf: [{ type: 'string', maxLength: 200 }, { type: 'number' }, { type: 'boolean' }],
  })
  @field.Required(scalar)
  equals!: string | number | boolean;
}

export class WebhookSuccess {
  @ApiPropertyOptional({
    description: 'The statuses that mean success. If unset, every status from 200 to 299 does.',
    example: [200],
    type: [Number],
    maxItems: MAX_STATUSES,
  })
  @field.Optional(field.list(field.integer(200, 499), MAX_STATUSES))
  status?: number[];

  @ApiPropertyOptional({
    description: 'A value in the response that means success, for services that answer 200 with an error in the body.',
    type: WebhookSuccessJson,
  })
  @field.Optional(field.object(() => WebhookSuccessJson))
  @field.Nested(() => WebhookSuccessJson)
  json?: WebhookSuccessJson;
}

/** Returns whether the receiver took the message, by the rule or by its status, with the text that it answered. */
export function readByRule(rule: WebhookSuccess | undefined, response: ProviderResponse): Reading {
  const { status, json } = response;
  const isStatus = rule?.status ? rule.status.includes(status) : status >= 200 && status < 300;
  const delivered = isStatus && (!rule?.json || isEqual(valueAt(json, rule.json.path), rule.json.equals));
  return rule === undefined ? { delivered } : { delivered, detail: errorText(json) };
}

/** Compares as text, so that `0` and `"0"` are equal. A value that is missing equals nothing. */
const isEqual = (found: unknown, wanted: string | number | boolean): boolean =>
  found !== undefined && textOf(found) === String(wanted);

const TEXT_KEYS = ['message', 'msg', 'errmsg', 'error', 'error_description', 'description', 'detail', 'reason'];

/** Returns the text of an error, which services put under one of a few names. */
export const errorText = (json: Readonly<Record<string, unknown>>): string | undefined => {
  for (const key of TEXT_KEYS) {
    const value = json[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
};
