class Users
  def find(name)
    all.find { |user| user.name == name }
  end
end
