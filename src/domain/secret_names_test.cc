#include "domain/secret_names.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

TEST(SecretNames, ASecretIsKnownByItsLastWord) {
  for (const char* name :
       {"TOKEN", "HF_TOKEN", "hf_token", "GITHUB_TOKEN_2", "TOKEN2", "SECRET", "CLIENT_SECRET", "PASSWORD", "DB_PASSWORD", "PGPASSWORD",
        "dbPassword", "MYSQL_PASSWD", "WANDB_API_KEY", "API_KEY", "apiKey", "APIKEY", "OPENAI_APIKEY", "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN", "AZURE_STORAGE_KEY", "AZURE_STORAGE_CONNECTION_STRING", "SSH_PRIVATE_KEY", "GPG_PASSPHRASE", "NEPTUNE_API_TOKEN"}) {
    EXPECT_TRUE(names_secret(name)) << name;
  }
}

TEST(SecretNames, WhatOnlyLooksLikeOneIsNone) {
  for (const char* name :
       {"", "_", "MONKEY", "KEYBOARD", "KEY", "TURKEY_COUNT", "KEYS", "SORT_KEY", "PUBLIC_KEY", "LABEL_KEY", "imageKey", "MAX_TOKENS",
        "TOKENIZERS_PARALLELISM", "PAD_TOKEN", "eos_token", "TOKEN_LIMIT", "PASSWORD_FILE", "SECRET_NAME", "CONNECTION", "STRING",
        "FORMAT_STRING", "LR", "PATH", "CUDA_VISIBLE_DEVICES", "MASTER_PORT", "WANDB_MODE", "HF_HOME", "42"}) {
    EXPECT_FALSE(names_secret(name)) << name;
  }
}

}  // namespace
}  // namespace roost
