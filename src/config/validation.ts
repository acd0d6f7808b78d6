// The class-validator rules that settings need, each from its own file: the whole package, with phone numbers of every
// locale, takes longer to load than everything else needed to report an invalid setting. tsconfig.json maps their
// types.
export { IsBoolean } from 'class-validator/cjs/decorator/typechecker/IsBoolean.js';
export { IsIn } from 'class-validator/cjs/decorator/common/IsIn.js';
export { IsInt } from 'class-validator/cjs/decorator/typechecker/IsInt.js';
export { Matches } from 'class-validator/cjs/decorator/string/Matches.js';
export { Max } from 'class-validator/cjs/decorator/number/Max.js';
export { MaxLength } from 'class-validator/cjs/decorator/string/MaxLength.js';
export { Min } from 'class-validator/cjs/decorator/number/Min.js';
export { ValidateBy } from 'class-validator/cjs/decorator/common/ValidateBy.js';
export { Validator } from 'class-validator/cjs/validation/Validator.js';
