import { fakeOpsgenie } from '../../../packages/testing/providers/opsgenie';
import { describeStrictness, withFields, withHeaders, withPath } from './strictness';

const letters = (count: number): string => 'x'.repeat(count);

const unprocessable = (field: string, error: string) => ({
  message: 'Request body is not processable. Please check the errors.',
  errors: { [field]: error },
});

describeStrictness('opsgenie', fakeOpsgenie, 202, [
  {
    what: 'a request without a GenieKey',
    change: withHeaders({ authorization: 'Bearer canary' }),
    status: 401,
    body: { message: 'Could not authenticate' },
    sentence: 'Opsgenie: "authorization" must be GenieKey and a key, not "Bearer canary"',
  },
  {
    what: 'the key of another integration',
    change: withHeaders({ authorization: 'GenieKey another' }),
    status: 403,
    body: { message: 'You are not authorized to access this resource' },
    sentence: 'Opsgenie: "authorization" must be the integration\'s key, not "GenieKey another"',
  },
  {
    what: 'another path',
    change: withPath('/v1/json/alert'),
    status: 404,
    body: {},
    sentence: 'Opsgenie: the request must be to an alert, its close or its acknowledge, not "/v1/json/alert"',
  },
  {
    what: 'a body that is not JSON',
    change: (request) => ({ ...request, body: 'message=down' }),
    status: 400,
    body: { message: 'Could not parse the request body' },
    sentence: 'Opsgenie: the request must be a JSON object, not "message=down"',
  },
  {
    what: 'an alert without a message',
    change: withFields({ message: '' }),
    status: 422,
    body: unprocessable('message', 'can not be empty'),
    sentence: 'Opsgenie: "message" is required',
  },
  {
    what: 'a message of more than 130 characters',
    change: withFields({ message: letters(131) }),
    status: 422,
    body: unprocessable('message', 'should be 1 to 130 characters'),
    sentence: '"message" must be 1 to 130 characters, not 131',
  },
  {
    what: 'an alias of more than 512 characters',
    change: withFields({ alias: letters(513) }),
    status: 422,
    body: { errors: { alias: expect.any(String) } },
    sentence: '"alias" must be 1 to 512 characters, not 513',
  },
  {
    what: 'a description of more than 15000 characters',
    change: withFields({ description: letters(15_001) }),
    status: 422,
    body: { errors: { description: expect.any(String) } },
    sentence: '"description" must be 0 to 15000 characters, not 15001',
  },
  {
    what: 'an unknown priority',
    change: withFields({ priority: 'P0' }),
    status: 422,
    body: { errors: { priority: expect.any(String) } },
    sentence: '"priority" must be one of "P1", "P2", "P3", "P4", "P5", not "P0"',
  },
  {
    what: 'more than 20 tags',
    change: withFields({ tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }),
    status: 422,
    body: { errors: { tags: expect.any(String) } },
    sentence: '"tags" must be at most 20 elements, not 21',
  },
  {
    what: 'a responder of an unknown type',
    change: withFields({ responders: [{ type: 'group', name: 'Operations' }] }),
    status: 422,
    body: { errors: { 'responders[0].type': expect.any(String) } },
    sentence: '"responders[0].type" must be one of "team", "user", "escalation", "schedule", not "group"',
  },
  {
    what: 'a responder that nothing names',
    change: withFields({ responders: [{ type: 'team' }] }),
    status: 422,
    body: { errors: { 'responders[0]': expect.any(String) } },
    sentence: '"responders[0]" must be named by id, name or username',
  },
  {
    what: 'a detail that is no text',
    change: withFields({ details: { attempts: 3 } }),
    status: 422,
    body: { errors: { 'details.attempts': expect.any(String) } },
    sentence: '"details.attempts" must be a string, not 3',
  },
  {
    what: 'a close by an id where the alias is meant',
    change: withPath('/v2/alerts/al_1/close'),
    status: 422,
    body: { errors: { identifierType: expect.any(String) } },
    sentence: 'Opsgenie: "identifierType" must be "alias", not null',
  },
]);
