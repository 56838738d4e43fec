import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { problems } from '../../platform/problem/problem';
import type { SignedIn } from '../session/session.service';

/** A request of a route for persons, as the guard left it. */
export type PersonRequest = Request & { signedIn?: SignedIn };

/** Who is signed in, in whatever organization or in none: for routes with access `person`. */
export const Held = createParamDecorator((_: unknown, context: ExecutionContext): SignedIn => {
  const { signedIn } = context.switchToHttp().getRequest<PersonRequest>();
  if (!signedIn) throw new Error('the route has no person: does it have the access "person"?');
  return signedIn;
});

/** The person behind a session that the guard has let through. */
export function ownerOf({ person }: SignedIn): NonNullable<SignedIn['person']> {
  if (person === null) throw problems.notFound();
  return person;
}
