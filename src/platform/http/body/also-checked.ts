import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { catchError, type Observable } from 'rxjs';
import type { AuthenticatedRequest, Caller } from '../../access/caller';
import { completed, type Findings } from '../../problem/findings';
import { WrongShape } from './wrong-shape';

/** The request to check: its caller, the path parameters as sent, and the hostname it was sent to. */
export interface CheckedRoute {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly host: string | undefined;
}

/**
 * Returns the problems that the service would report after the shape check, limited to fields whose shape is valid.
 * Missing fields have already been reported.
 */
type Check<Service, Fields> = (service: Service, fields: Fields, route: CheckedRoute) => Findings | Promise<Findings>;

interface Checked {
  service: Type<unknown>;
  check: Check<unknown, object>;
}

const CHECKED = Symbol('http:also-checked');

/**
 * Adds the service's problems to the problems with a body's shape, so that a client learns about all invalid fields at
 * once.
 */
@Injectable()
class AlsoCheckedInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly modules: ModuleRef,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        throw error instanceof WrongShape ? await this.complete(error, context) : error;
      }),
    );
  }

  private async complete({ shape, fields }: WrongShape, context: ExecutionContext): Promise<Error> {
    const { service, check } = this.reflector.get<Checked>(CHECKED, context.getHandler());
    const { caller, params, headers } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (!caller) throw new Error('the route has no caller: is it public?');
    const checker: unknown = this.modules.get(service, { strict: false });
    const route = { caller, params: params as CheckedRoute['params'], host: headers.host };
    return completed(shape, await check(checker, fields, route));
  }
}

/**
 * Adds the service's problems to the response when the body has the wrong shape. For routes whose service validates
 * more than the DTO. The request is rejected in any case, and the service still does its own validation.
 */
export const AlsoChecked = <Service, Fields extends object>(
  service: Type<Service>,
  check: Check<Service, Fields>,
): MethodDecorator => {
  const checked = { service, check: check as Check<unknown, object> } satisfies Checked;
  return applyDecorators(SetMetadata(CHECKED, checked), UseInterceptors(AlsoCheckedInterceptor));
};
