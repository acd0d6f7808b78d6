// The rules that settings need of class-validator, each from its file: the whole package, with every locale's phone numbers, takes
// longer to load than everything else before a wrong setting is told. tsconfig.json knows where their types are.
export { IsBoolean } from 'class-validator/cjs/decorator/typechecker/IsBoolean.js';
export { IsIn } from 'class-validator/cjs/decorator/common/IsIn.js';
export { IsInt } from 'class-validator/cjs/decorator/typechecker/IsInt.js';
export { Matches } from 'class-validator/cjs/decorator/string/Matches.js';
export { Max } from 'class-validator/cjs/decorator/number/Max.js';
export { MaxLength } from 'class-validator/cjs/decorator/string/MaxLength.js';
export { Min } from 'class-validator/cjs/decorator/number/Min.js';
export { ValidateBy } from 'class-validator/cjs/decorator/common/ValidateBy.js';
export { Validator } from 'class-validator/cjs/validation/Validator.js';
