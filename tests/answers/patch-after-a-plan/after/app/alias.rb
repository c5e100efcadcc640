require_relative 'users'

ByName = Users
