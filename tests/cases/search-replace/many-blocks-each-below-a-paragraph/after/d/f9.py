y9
