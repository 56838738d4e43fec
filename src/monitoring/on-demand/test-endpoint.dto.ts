import { OmitType } from '@nestjs/swagger';
import { CheckView } from '../../history/read/check.dto';

/** The result of the test: like a recorded check, without its ids. The class name is part of the public API document. */
export class TrialView extends OmitType(CheckView, ['id', 'endpoint_id'] as const) {}
