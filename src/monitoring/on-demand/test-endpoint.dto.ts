import { OmitType } from '@nestjs/swagger';
import { CheckView } from '../../history/read/check.dto';

/** What a check would have said: like a recorded check, without its ids. */
export class TrialView extends OmitType(CheckView, ['id', 'endpoint_id'] as const) {}
