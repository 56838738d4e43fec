import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { problems } from '../../platform/problem/problem';
import type { SignedIn } from '../session/session.service';

/** A request to a route for persons, after the guard has run. */
export type PersonRequest = Request & { signedIn?: SignedIn };

/**
 * Passes the signed-in person to the handler, whether or not they are in an organization. For routes with access
 * `person`.
 */
export const Held = createParamDecorator((_: unknown, context: ExecutionContext): SignedIn => {
  const { signedIn } = context.switchToHttp().getRequest<PersonRequest>();
  if (!signedIn) throw new Error('the route has no person: does it have the access "person"?');
  return signedIn;
});

/** Returns the person in a session that the guard has accepted. */
export function ownerOf({ person }: SignedIn): NonNullable<SignedIn['person']> {
  if (person === null) throw problems.notFound();
  return person;
}
