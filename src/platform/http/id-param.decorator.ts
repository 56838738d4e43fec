import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { exampleId, type IdKind } from '../ids/id';
import { PrefixedIdPipe } from '../ids/prefixed-id.pipe';

/**
 * Documents an ID of this kind in the path and passes it to the handler as a UUID. `name` is the path parameter's name.
 */
export const IdParam =
  (kind: IdKind, name = 'id'): ParameterDecorator =>
  (controller, handler, index) => {
    if (handler === undefined) throw new Error('an id in the path is for a handler');
    Param(name, new PrefixedIdPipe(kind))(controller, handler, index);
    const method = Object.getOwnPropertyDescriptor(controller, handler) ?? {};
    ApiParam({ name, example: exampleId(kind) })(controller, handler, method);
  };
