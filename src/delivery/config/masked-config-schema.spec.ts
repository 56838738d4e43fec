import { addMasked, type Schemas } from './masked-config-schema';

describe('the schema of a config as it is read', () => {
  it('has the same keys and types, but no rule that a mask would break', () => {
    const schemas = {
      SlackConfig: {
        type: 'object',
        required: ['webhook_url'],
        properties: {
          webhook_url: { type: 'string', format: 'uri', maxLength: 2048, example: 'https://hooks.example.com' },
          token: { type: 'string', format: 'password', writeOnly: true, example: 'xoxb' },
          region: { type: 'string', enum: ['us', 'eu'], default: 'us' },
        },
      },
    } as Schemas;
    addMasked(schemas, 'SlackConfig');
    expect(schemas['MaskedSlackConfig']).toEqual({
      type: 'object',
      required: ['webhook_url'],
      properties: {
        webhook_url: { type: 'string', example: 'https://hooks.example.com' },
        token: { type: 'string', example: '********' },
        region: { type: 'string', enum: ['us', 'eu'] },
      },
    });
  });

  it('refers to the read form of nested schemas', () => {
    const schemas = {
      Config: {
        type: 'object',
        properties: { headers: { type: 'array', maxItems: 5, items: { $ref: '#/components/schemas/Header' } } },
      },
      Header: { type: 'object', properties: { value: { type: 'string', maxLength: 10 } } },
    } as Schemas;
    addMasked(schemas, 'Config');
    expect(schemas['MaskedConfig']).toEqual({
      type: 'object',
      properties: { headers: { type: 'array', items: { $ref: '#/components/schemas/MaskedHeader' } } },
    });
    expect(schemas['MaskedHeader']).toEqual({ type: 'object', properties: { value: { type: 'string' } } });
  });
});
