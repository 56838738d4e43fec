import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { isEmail } from '../../../src/identity/person/email';
import { CreateInvitationDto } from '../../../src/identity/people/people.dto';
import { normalizeEmail, type PersonRow } from '../../../src/identity/person/person-row';
import { PROXY_ISSUER } from '../../../src/identity/session/proxy-user';
import type { Config } from '../../../src/platform/config/config';
import { StartError } from '../../../src/platform/config/start-error';
import type { CommandResult } from '../database/command-result';
import type { IdentityServices } from '../database/identity-services';
import { findOrganization, uuidOf } from '../database/organizations';
import { UsageError } from '../usage-error';
import type { InviteRequest, PeopleRequest } from './people-request';
import { addressOf, inPeopleOptions, peopleTable } from './people-text';

export type PeopleServices = Pick<IdentityServices, 'people' | 'invitations' | 'organizations' | 'config'>;
type Action = (services: PeopleServices) => Promise<CommandResult>;

/**
 * Returns the requested action without running it. Throws: `UsageError` if a value breaks an API rule. No database is
 * opened before that.
 */
export function peopleAction(request: PeopleRequest): Action {
  switch (request.action) {
    case 'list':
      return (services) => list(services, request.json);
    case 'invite': {
      const dto = newInvitation(request);
      return (services) => invite(services, request, dto);
    }
    case 'email': {
      const email = emailOf(request.email);
      return withPerson(request.who, async ({ people }, { id }) => {
        await people.setEmail(id, email);
        return `They now sign in with ${email}.`;
      });
    }
    case 'link':
      return (services) => link(services, request.who, request.json);
    case 'unlink':
      return withPerson(request.who, async ({ people }, { id, name }) => {
        const ended = await people.endLinks(id);
        return `Revoked ${ended} open ${ended === 1 ? 'link' : 'links'} of ${name}.`;
      });
    case 'operator':
      return withPerson(request.who, async ({ people }, { id, name }) => {
        await people.setOperator(id, request.isOperator);
        return `${name} is ${request.isOperator ? 'now' : 'no longer'} an operator.`;
      });
    case 'connect':
      return withPerson(request.who, async ({ people, config }, { id, name }) => {
        await people.connect(id, issuerOf(config, request.isProxy), request.subject);
        return `${name} can now sign in as ${request.subject}.`;
      });
    case 'disconnect':
      return withPerson(request.who, async ({ people }, { id, name, password }) => {
        const gone = await people.disconnect(id);
        const hint =
          password === null ? ' They have no password. Create a sign-in link for them with the link command.' : '';
        return `Removed ${gone} ${gone === 1 ? 'connection' : 'connections'} of ${name}.${hint}`;
      });
    case 'reset-second-factor':
      return withPerson(request.who, async ({ people }, { id, name, hasSecondFactor }) => {
        if (!hasSecondFactor) throw new StartError(`${name} has no second factor.`);
        await people.resetSecondFactor(id);
        return `${name} now signs in with only the password.`;
      });
    case 'delete':
      return withPerson(request.who, async ({ people }, { id, name }) => {
        await people.erase(id);
        return `Erased ${name}.`;
      });
    default:
      return request satisfies never;
  }
}

/** Runs `work` with the named person. Messages go to stderr, because stdout is for results. */
function withPerson(who: string, work: (services: PeopleServices, person: PersonRow) => Promise<string>): Action {
  return async (services) => ({ exitCode: 0, remark: await work(services, await findPerson(services, who)) });
}

async function findPerson({ people }: PeopleServices, who: string): Promise<PersonRow> {
  const person = await people.find(who);
  if (!person) throw new StartError(`No user has the email or ID ${who}. Use ls to show all users.`);
  return person;
}

async function list({ people }: PeopleServices, json: boolean): Promise<CommandResult> {
  const all = await people.list();
  return { exitCode: 0, output: json ? JSON.stringify(all) : peopleTable(all) };
}

async function invite(
  { invitations, organizations, config }: PeopleServices,
  { organization: wanted, isOperator, json }: InviteRequest,
  dto: CreateInvitationDto,
): Promise<CommandResult> {
  const organization = await findOrganization(organizations, wanted);
  const made = await invitations.createOnMachine(uuidOf(organization), dto, isOperator);
  const url = addressOf(config, made.token);
  const rank = isOperator ? `${made.role} and operator` : made.role;
  return json
    ? { exitCode: 0, output: JSON.stringify({ ...made, url }) }
    : {
        exitCode: 0,
        output: url,
        remark: `With this link, ${made.email} can join ${organization.name} as ${rank}. It works once, until ${made.expires_at}.`,
      };
}

async function link(services: PeopleServices, who: string, json: boolean): Promise<CommandResult> {
  const { people, config } = services;
  const person = await findPerson(services, who);
  const { token, expiresAt } = await people.signInLink(person.id);
  const url = addressOf(config, token);
  const expires_at = expiresAt.toISOString();
  return json
    ? { exitCode: 0, output: JSON.stringify({ token, url, expires_at }) }
    : { exitCode: 0, output: url, remark: `This link signs ${person.name} in. It works once, until ${expires_at}.` };
}

/** Returns the issuer that vouches for a person's identity. */
function issuerOf({ oidcIssuer }: Pick<Config, 'oidcIssuer'>, isProxy: boolean): string {
  if (isProxy) return PROXY_ISSUER;
  if (oidcIssuer === null)
    throw new StartError('OIDC_ISSUER is not set. Set it as for the service, or use --proxy for a user of the proxy.');
  return oidcIssuer;
}

function newInvitation({ email, role }: InviteRequest): CreateInvitationDto {
  const dto = plainToInstance(CreateInvitationDto, { email: emailOf(email), role });
  const [wrong] = validateSync(dto);
  if (wrong)
    throw new UsageError(
      inPeopleOptions(Object.values(wrong.constraints ?? {})[0] ?? `${wrong.property} is not valid`),
    );
  return dto;
}

function emailOf(typed: string): string {
  const email = normalizeEmail(typed);
  if (!isEmail(email)) throw new UsageError('EMAIL must be an email address such as bo@example.com');
  return email;
}
