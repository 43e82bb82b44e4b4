import assert from 'assert';

export default assert.strict;
