#pragma once

#include <string_view>

namespace roost {

// Whether the value of a variable of this name is taken for a secret. A name is cut into words at underscores and where
// small letters turn to capitals; numbers at its end do not count. It names a secret if its last word
//   - is TOKEN, SECRET, PASSPHRASE, APIKEY, APITOKEN, or ends with PASSWORD or PASSWD,
//   - is KEY behind another word, or STRING behind CONNECTION,
// unless the word before it says that it is of another kind: PAD_TOKEN and EOS_TOKEN are of a text, SORT_KEY, PUBLIC_KEY
// and LABEL_KEY are no keys to anything. So HF_TOKEN, WANDB_API_KEY, dbPassword and AWS_SECRET_ACCESS_KEY do, and MONKEY,
// KEYBOARD, KEY, MAX_TOKENS, TOKENIZERS_PARALLELISM and PASSWORD_FILE do not.
bool names_secret(std::string_view variable);

}  // namespace roost
